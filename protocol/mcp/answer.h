#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace upskill::mcp {

// The answer to Call::Kind::tool.
struct ToolAnswer {
  std::string structured = {}; // the result as a JSON object on one line; matches the output schema
  std::string text = {};       // what a model reads instead of that JSON; empty: the JSON itself
};

struct Resource {
  std::string uri = {};
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
  std::optional<std::int64_t> size = {}; // bytes
  std::string last_modified = {};        // RFC 3339 in UTC
};

// The answer to list_resources. An empty next_cursor ends the list.
struct ResourcePage {
  std::vector<Resource> resources = {};
  std::string next_cursor = {};
};

struct ResourceTemplate {
  std::string uri_template = {}; // RFC 6570
  std::string name = {};
  std::string title = {};
  std::string description = {};
  std::string mime_type = {};
};

// The answer to list_resource_templates.
struct ResourceTemplatePage {
  std::vector<ResourceTemplate> templates = {};
  std::string next_cursor = {};
};

// The answer to read_resource. What is not text is sent in base64; bytes that claim to be text and
// are not UTF-8 are sent so too.
struct ResourceContents {
  std::string uri = {};
  std::string mime_type = {};
  std::string bytes = {};
  bool is_text = true;
};

using Answer = std::variant<ToolAnswer, ResourcePage, ResourceTemplatePage, ResourceContents>;

} // namespace upskill::mcp
