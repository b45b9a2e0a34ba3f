#include "clients/cli/render.h"

#include "protocol/codec/codec.h"
#include "protocol/methods.h"

namespace upskill::cli {
namespace {

template <class T>
concept Showable = requires(Page& page, const Invocation& invocation, const T& result) {
  show(page, invocation, result);
};

} // namespace

bool has_renderer(std::string_view name) {
  bool found = false;
  for_each_method([&](const auto& method) {
    using Reply = typename std::decay_t<decltype(method)>::Reply;
    found = found || (Showable<Reply> && method.name == name);
  });
  return found;
}

Result<void> render(Page& page, const Invocation& invocation, const connect::TextReader& result) {
  Result<void> done = fail(ErrorCode::unsupported, "there is no picture of this result");
  for_each_method([&](const auto& method) {
    using Reply = typename std::decay_t<decltype(method)>::Reply;
    if constexpr (Showable<Reply>) {
      if (invocation.command.method == nullptr || method.name != invocation.command.method->name) {
        return;
      }
      connect::TextReader reader = result;
      Result<Reply> decoded = decode<Reply>(reader, "result");
      if (decoded) {
        show(page, invocation, *decoded);
        done = {};
      } else {
        done = fail(std::move(decoded).error());
      }
    }
  });
  return done;
}

} // namespace upskill::cli
