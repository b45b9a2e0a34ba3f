#include "skills/agent_config/json_layout.h"

#include <algorithm>

namespace upskill::agent_config {
namespace {

std::string brackets(const JsonNode& value, std::string_view inside) {
  bool is_object = value.kind == JsonKind::object;
  return (is_object ? "{" : "[") + std::string(inside) + (is_object ? "}" : "]");
}

} // namespace

std::string_view indent_at(std::string_view text, std::size_t at) {
  std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::size_t end = begin;
  while (end < at && (text[end] == ' ' || text[end] == '\t')) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

bool begins_line(std::string_view text, std::size_t at) {
  std::size_t size = indent_at(text, at).size();
  return at > size && text[at - size - 1] == '\n';
}

JsonLayout layout_of(std::string_view text, const JsonNode& root, const JsonNode& container) {
  JsonLayout layout;
  std::size_t newline = text.find('\n');
  if (newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r') {
    layout.newline = "\r\n";
  }
  if (!root.children.empty() && begins_line(text, root.children.front().key_begin)) {
    std::string_view indent = indent_at(text, root.children.front().key_begin);
    layout.unit = indent.empty() ? layout.unit : std::string(indent);
  }
  auto is_line = [&](const JsonNode& node) {
    return text.substr(node.begin, node.end - node.begin).find('\n') == std::string_view::npos;
  };
  layout.is_line = (!container.children.empty() && is_line(container))
                   || (!root.children.empty() && is_line(root));
  layout.is_spaced =
      text.find("\": ") != std::string_view::npos || text.find(", ") != std::string_view::npos;
  return layout;
}

std::string json_quoted(std::string_view text) {
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += std::string("\\u00") + k_hex[static_cast<unsigned char>(c) >> 4] + k_hex[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string
format_json(const JsonNode& value, const JsonLayout& layout, const std::string& indent) {
  if (value.kind == JsonKind::string) {
    return json_quoted(value.text);
  }
  if (value.kind == JsonKind::other) {
    return value.text;
  }
  bool is_object = value.kind == JsonKind::object;
  bool is_plain = std::ranges::none_of(value.children, [](const JsonNode& child) {
    return child.kind == JsonKind::object || child.kind == JsonKind::array;
  });
  bool is_line = layout.is_line || value.children.empty() || (!is_object && is_plain);
  std::string inner = indent + layout.unit;
  std::string blank = layout.is_line && !layout.is_spaced ? "" : " ";
  std::string inside;
  for (const JsonNode& child : value.children) {
    inside += inside.empty() ? "" : is_line ? "," + blank : ",";
    inside += is_line ? "" : layout.newline + inner;
    inside += is_object ? json_quoted(child.key) + ":" + blank : "";
    inside += format_json(child, layout, inner);
  }
  return brackets(value, is_line ? inside : inside + layout.newline + indent);
}

} // namespace upskill::agent_config
