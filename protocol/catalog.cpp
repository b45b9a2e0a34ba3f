#include "protocol/catalog.h"

#include "protocol/codec/codec.h"

#include <vector>

namespace upskill {
namespace {

template <class P, class R> MethodInfo erase(const Method<P, R>& method) {
  return {method.name,
          method.command,
          method.summary,
          method.description,
          method.effect,
          method.audience,
          method.pace,
          &json_schema<P>,
          &json_schema<R>,
          &tool_schema<P>};
}

std::vector<MethodInfo> all_methods() {
  std::vector<MethodInfo> methods;
  for_each_method([&](const auto& method) { methods.push_back(erase(method)); });
  return methods;
}

} // namespace

std::span<const MethodInfo> catalog() {
  static const std::vector<MethodInfo> k_methods = all_methods();
  return k_methods;
}

const MethodInfo* find_method(std::string_view name) {
  for (const MethodInfo& method : catalog()) {
    if (method.name == name) {
      return &method;
    }
  }
  return nullptr;
}

} // namespace upskill
