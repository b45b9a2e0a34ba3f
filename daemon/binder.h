#pragma once
#include "daemon/request_context.h"
#include "daemon/runtime/asio.h"
#include "daemon/telemetry/log.h"
#include "protocol/base/result.h"
#include "protocol/catalog.h"
#include "protocol/codec/codec.h"
#include "protocol/mcp/answer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <concepts>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace upskill::daemon {

template <class R> using Awaitable = asio::awaitable<Result<R>>;

// A result, or what the client must say first: the handler is then called once more, with
// RequestContext::input_responses and `state`.
template <class R> using Asked = std::variant<R, mcp::InputRequired>;

// Which function answers which method. A handler is either quick, `Result<R>(P, RequestContext&)`,
// and answers on the spot on the daemon's thread (at most some 100 us, no disk), or slow,
// `Awaitable<R>(P, RequestContext)`; one that may ask the client returns `Awaitable<Asked<R>>`.
// Parameters are decoded and results encoded here, and an exception that leaves a handler is caught
// here: it is a bug, so the log gets it with the request's id and the client an internal error
// without details. Owner: Daemon. Thread: its own only. Lifetime: longer than every call.
class Binder {
public:
  explicit Binder(telemetry::Log& log);

  // Throws std::logic_error for a method that is bound already or not in the catalogue.
  template <class P, class R, class Handler> void on(const Method<P, R>& method, Handler handler) {
    Entry& entry = entry_of(method.name);
    if constexpr (std::same_as<std::invoke_result_t<Handler&, P, RequestContext&>, Result<R>>) {
      entry.quick = [this, handler = std::move(handler)](const std::string& arguments,
                                                         RequestContext& context) mutable {
        return encoded(run_quick<P, R>(handler, arguments, context));
      };
    } else {
      entry.slow = [this, handler = std::move(handler)](
                       std::string arguments, RequestContext context) -> Awaitable<mcp::Answer> {
        return run_slow<P, R>(handler, std::move(arguments), std::move(context));
      };
    }
  }

  // A tool beside the catalogue (Engine::tools), which answers as it likes; `arguments` is a JSON
  // object. Throws std::logic_error for one that is bound already.
  using ToolHandler = std::function<Awaitable<mcp::Answer>(std::string, RequestContext)>;
  void on_tool(const MethodInfo& tool, ToolHandler handler);

  // A quick method that has nothing true to say at first: until `is_ready`, a call to it waits for
  // `ready` before it is answered. Throws std::logic_error for one that is not bound as quick.
  void wait_first(std::string_view method,
                  std::function<bool()> is_ready,
                  std::function<asio::awaitable<void>()> ready);

  bool is_quick(const MethodInfo& method) const;
  // Never throw. not_found for a method without a handler.
  Result<mcp::ToolAnswer>
  call_quick(const MethodInfo& method, const std::string& arguments, RequestContext& context);
  Awaitable<mcp::Answer>
  call_slow(const MethodInfo& method, std::string arguments, RequestContext context);

  // Any other coroutine that answers a request, under the same roof for exceptions.
  template <class R> Awaitable<R> guarded(asio::awaitable<Result<R>> task, std::string request) {
    std::exception_ptr failure;
    try {
      Result<R> result = co_await std::move(task);
      co_return result;
    } catch (...) {
      failure = std::current_exception();
    }
    co_return tl::make_unexpected(explain(failure, request));
  }

  // Methods of the catalogue that nobody answers.
  std::vector<std::string_view> missing() const;

private:
  struct Entry {
    std::function<Result<mcp::ToolAnswer>(const std::string&, RequestContext&)> quick = {};
    ToolHandler slow = {};
    std::function<bool()> is_ready = {}; // with `quick`: may be empty
  };

  template <class P, class R, class Handler>
  Result<R> run_quick(Handler& handler, const std::string& arguments, RequestContext& context) {
    TRY_ASSIGN(P params, rpc::decode_arguments<P>(m_parser, arguments));
    return handler(std::move(params), context);
  }

  // `handler` lives in the table, which outlives the call.
  template <class P, class R, class Handler>
  Awaitable<mcp::Answer>
  run_slow(const Handler& handler, std::string arguments, RequestContext context) {
    CO_TRY_ASSIGN(P params, rpc::decode_arguments<P>(m_parser, arguments));
    auto task = handler(std::move(params), std::move(context));
    auto result = co_await std::move(task);
    co_return answer_of(std::move(result));
  }

  template <class R> static Result<mcp::Answer> answer_of(Result<R> result) {
    return encoded(std::move(result)).map([](mcp::ToolAnswer&& answer) {
      return mcp::Answer(std::move(answer));
    });
  }

  template <class R> static Result<mcp::Answer> answer_of(Result<Asked<R>> asked) {
    if (asked && std::holds_alternative<mcp::InputRequired>(*asked)) {
      return mcp::Answer(std::get<mcp::InputRequired>(std::move(*asked)));
    }
    return answer_of(std::move(asked).map(
        [](Asked<R>&& answer) -> R { return std::get<R>(std::move(answer)); }));
  }

  template <class R> static Result<mcp::ToolAnswer> encoded(Result<R> result) {
    if (!result) {
      return tl::make_unexpected(std::move(result).error());
    }
    mcp::ToolAnswer answer;
    answer.structured = encode(*result);
    return answer;
  }

  Awaitable<mcp::Answer> call_when_ready(const Entry& entry,
                                         const std::function<asio::awaitable<void>()>& ready,
                                         std::string arguments,
                                         RequestContext context);
  Entry& entry_of(std::string_view method);
  const Entry& entry_of(const MethodInfo& method) const;
  // A cancellation becomes `cancelled`; anything else is logged.
  Error explain(const std::exception_ptr& failure, std::string_view request);

  telemetry::Log& m_log;
  rpc::JsonParser m_parser;
  std::vector<Entry> m_entries; // in the order of the catalogue
  std::unordered_map<const MethodInfo*, Entry> m_tools;
};

} // namespace upskill::daemon
