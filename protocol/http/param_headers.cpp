#include "protocol/http/param_headers.h"

#include "protocol/http/header_value.h"
#include "protocol/rpc/json_scanner.h"
#include "protocol/rpc/json_text.h"

#include <algorithm>

namespace upskill::http {
namespace {

using rpc::JsonScanner;

constexpr std::string_view k_annotation = "x-mcp-header";

// A member of an object by its name; no kind but null when there is none, or it is no object.
JsonScanner::Value member_of(std::string_view object, std::string_view name) {
  JsonScanner scanner(object);
  JsonScanner::Value found;
  if (scanner.peek() != JsonKind::object) {
    return found;
  }
  scanner.members([&](std::string_view key) {
    JsonScanner::Value value = scanner.value();
    if (found.raw.empty() && rpc::string_value(key) == name) {
      found = value;
    }
  });
  return found;
}

// RFC 9110, section 5.6.2.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

void collect(std::string_view schema,
             std::vector<std::string>& path,
             std::vector<ParamHeader>& found) {
  JsonScanner::Value properties = member_of(schema, "properties");
  if (properties.kind != JsonKind::object) {
    return;
  }
  JsonScanner scanner(properties.raw);
  scanner.members([&](std::string_view key) {
    JsonScanner::Value property = scanner.value();
    path.push_back(rpc::string_value(key));
    JsonScanner::Value name = member_of(property.raw, k_annotation);
    if (name.kind == JsonKind::string && is_token(rpc::string_value(name.raw))) {
      found.push_back({std::string(k_parameter_field) + rpc::string_value(name.raw), path});
    }
    collect(property.raw, path, found);
    path.pop_back();
  });
}

std::optional<std::string>
check(const ParamHeader& header, const Head& head, std::string_view arguments) {
  JsonScanner::Value value{JsonKind::object, arguments};
  for (const std::string& step : header.path) {
    value = member_of(value.raw, step);
  }
  FieldName field{std::string_view(header.field)};
  std::size_t count = head.count(field);
  if (value.raw.empty() || value.kind == JsonKind::null) {
    return count == 0 ? std::nullopt
                      : std::optional("there is `" + header.field
                                      + "`, and the argument that it repeats is not there");
  }
  if (value.kind == JsonKind::array || value.kind == JsonKind::object) {
    return std::nullopt; // no header can say this; the tool refuses it
  }
  if (count != 1) {
    return "`" + header.field + "` " + (count == 0 ? "is missing" : "is there twice");
  }
  if (!says_the_same(*head.first(field), {{}, value.kind, value.raw})) {
    return "`" + header.field + "` is not what the argument says";
  }
  return std::nullopt;
}

} // namespace

std::vector<ParamHeader> param_headers(std::string_view schema) {
  std::vector<ParamHeader> found;
  if (schema.find(k_annotation) != std::string_view::npos) {
    std::vector<std::string> path;
    collect(schema, path, found);
  }
  return found;
}

std::optional<std::string> check_param_headers(const std::vector<ParamHeader>& headers,
                                               const Head& head,
                                               std::string_view arguments) {
  for (const ParamHeader& header : headers) {
    if (auto problem = check(header, head, arguments)) {
      return problem;
    }
  }
  return std::nullopt;
}

} // namespace upskill::http
