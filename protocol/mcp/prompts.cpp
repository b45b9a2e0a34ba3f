#include "protocol/mcp/prompts.h"

#include "protocol/mcp/pages.h"

namespace upskill::mcp {
namespace {

// What a prompt and its arguments have in common.
template <class Named> void write_names(JsonWriter& json, const Named& named, Version version) {
  json.field("name", named.name);
  if (has_structured_content(version) && !named.title.empty()) {
    json.field("title", named.title);
  }
  if (!named.description.empty()) {
    json.field("description", named.description);
  }
}

void write_prompt(JsonWriter& json, const Prompt& prompt, Version version) {
  json.begin_object();
  write_names(json, prompt, version);
  if (!prompt.arguments.empty()) {
    json.key("arguments");
    json.begin_array();
    for (const PromptArgument& argument : prompt.arguments) {
      json.begin_object();
      write_names(json, argument, version);
      json.field("required", argument.required);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

} // namespace

std::vector<std::string> prompt_pages(Version version,
                                      const std::vector<Prompt>& prompts,
                                      std::string_view server_meta,
                                      std::size_t prompts_per_page) {
  return pages_of(
      version,
      "prompts",
      prompts.size(),
      prompts_per_page,
      server_meta,
      [&](JsonWriter& json, std::size_t at) { write_prompt(json, prompts[at], version); });
}

} // namespace upskill::mcp
