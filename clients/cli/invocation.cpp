#include "clients/cli/invocation.h"

#include "protocol/codec/writer.h"

#include <charconv>
#include <cstdint>

namespace upskill::cli {

bool Invocation::flag(std::string_view field) const {
  return values.find(field) != values.end();
}

std::optional<std::string> Invocation::value(std::string_view field) const {
  auto found = values.find(field);
  return found == values.end() ? std::nullopt : std::optional(found->second.front());
}

std::string Invocation::arguments() const {
  std::string text;
  JsonWriter out(text);
  auto write = [&](const Option& option, const std::string& value) {
    if (option.kind == ValueKind::number) {
      out.raw(std::to_string(std::stoll(value)));
    } else if (option.kind == ValueKind::decimal) {
      double number = 0; // it was read before
      std::from_chars(value.data(), value.data() + value.size(), number);
      out.value(number);
    } else {
      out.value(value);
    }
  };
  out.begin_object();
  for (const Option& option : command.options) {
    auto found = values.find(option.field);
    if (found == values.end() || option.is_ours || option.negates) {
      continue;
    }
    out.key(option.field);
    if (option.kind == ValueKind::flag) {
      out.value(found->second.back() != k_no); // the last word counts
    } else if (option.many) {
      out.begin_array();
      for (const std::string& value : found->second) {
        write(option, value);
      }
      out.end_array();
    } else {
      write(option, found->second.front());
    }
  }
  out.end_object();
  return text;
}

} // namespace upskill::cli
