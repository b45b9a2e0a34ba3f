#include "skills/document/document.h"

#include "skills/document/rescue.h"
#include "skills/document/unicode.h"
#include "skills/document/yaml_json.h"

#include <algorithm>

namespace upskill::document {
namespace {

// Of a front matter that nobody closed, this much is looked at: the body may follow.
constexpr std::size_t k_unclosed_bytes = 8u << 10;

std::string text_of(const Yaml& front_matter, std::string_view field) {
  const Yaml* value = front_matter.find(field);
  return value != nullptr && value->is_scalar() ? std::string(strip(value->text)) : std::string{};
}

void take_fields(Document& document, Yaml front_matter) {
  document.front_matter = std::move(front_matter);
  document.name = text_of(document.front_matter, "name");
  document.description = text_of(document.front_matter, "description");
}

void take_lines(Document& document, std::string_view yaml) {
  RescuedFields fields = rescue_fields(yaml.substr(0, k_max_front_matter));
  document.name = strip(fields.name.value_or(""));
  document.description = strip(fields.description.value_or(""));
}

// The lines that may still be front matter: up to an empty one or a heading.
std::string_view unclosed_part(std::string_view yaml) {
  yaml = yaml.substr(0, k_unclosed_bytes);
  for (std::string_view end : {"\n\n", "\n\r\n", "\n#"}) {
    std::size_t at = yaml.find(end);
    if (at != std::string_view::npos) {
      yaml = yaml.substr(0, at + 1);
    }
  }
  return yaml;
}

void read_unclosed(Document& document) {
  document.problems.push_back("the front matter is not closed with `---`");
  std::string_view yaml = unclosed_part(document.parts.yaml);
  auto parsed = parse_yaml(yaml, document.parts.yaml_line);
  if (parsed && parsed->root.is_mapping()) {
    take_fields(document, std::move(parsed->root));
  } else {
    take_lines(document, yaml);
  }
}

void read_closed(Document& document) {
  const FrontMatterSplit& parts = document.parts;
  auto parsed = parse_yaml(parts.yaml, parts.yaml_line);
  if (parsed && parsed->root.is_mapping()) {
    const YamlFeatures& features = parsed->features;
    if (features.duplicate_line != 0) {
      document.problems.push_back("the front matter has the key `" + features.duplicate_key
                                  + "` twice; the last one counts");
    }
    take_fields(document, std::move(parsed->root));
    return;
  }
  if (parsed) {
    document.problems.push_back(parsed->root.is_null() ? "the front matter is empty"
                                                       : "the front matter is not a mapping");
    return;
  }
  document.problems.push_back("the front matter is not YAML: " + parsed.error().message);
  if (auto repair = repair_yaml(parts.yaml, parts.yaml_line)) {
    document.repairs = std::move(repair->repairs);
    take_fields(document, std::move(repair->document.root));
  } else {
    take_lines(document, parts.yaml);
  }
}

} // namespace

std::string Document::front_matter_json() const {
  return front_matter.is_mapping() ? to_json(front_matter, Typing::core) : "{}";
}

Document read_document(std::string_view bytes) {
  Document document;
  document.parts = split_front_matter(bytes);
  switch (document.parts.state) {
  case FenceState::missing:
    document.problems.push_back("there is no front matter between `---` lines");
    break;
  case FenceState::unclosed:
    read_unclosed(document);
    break;
  case FenceState::closed:
    read_closed(document);
    break;
  }
  return document;
}

} // namespace upskill::document
