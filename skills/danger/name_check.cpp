#include "skills/danger/characters.h"
#include "skills/danger/checks.h"
#include "skills/danger/hosts.h"
#include "skills/document/unicode.h"

#include <algorithm>

namespace upskill::danger {
namespace {

constexpr std::size_t k_most_known = 10'000;
constexpr std::size_t k_longest_name = 128; // bytes that are compared
constexpr std::size_t k_least_compared = 6; // bytes: shorter names are a letter apart by chance

constexpr Danger k_alike = {"name-look-alike",
                            Severity::severe,
                            "the skill's name has letters of another script that look like its own",
                            "take the skill that has the plain name"};
constexpr std::string_view k_taken_hint = "see which of the two was wanted, and who made it";

bool mixes_scripts(std::string_view name) {
  bool has_ascii = false;
  bool has_look_alike = false;
  for (std::size_t at = 0; at < name.size();) {
    char32_t c = next_character(name, at);
    has_ascii = has_ascii || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    has_look_alike = has_look_alike || latin_look_alike(c) != 0;
  }
  return has_ascii && has_look_alike;
}

// The end of a sentence; empty where the names are far enough apart.
std::string likeness(std::string_view name,
                     const std::string& skeleton,
                     const KnownSkill& known,
                     std::string_view source) {
  if (name == known.name) {
    return known.source == source ? "" : "has the name of a skill from elsewhere";
  }
  std::string_view other = std::string_view(known.name).substr(0, k_longest_name);
  bool is_near =
      std::min(name.size(), other.size()) >= k_least_compared && is_one_step(name, other);
  auto is_alike = [&] {
    return skeleton == (known.skeleton.empty() ? skeleton_of(other) : known.skeleton);
  };
  if (is_near || is_alike()) {
    return known.source == source && !source.empty() ? "" : "has nearly the name of another skill";
  }
  return "";
}

} // namespace

std::string skeleton_of(std::string_view name) {
  name = name.substr(0, k_longest_name);
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t begin = at;
    char32_t c = next_character(name, at);
    if (char latin = latin_look_alike(c); latin != 0) {
      plain += latin;
    } else if (c != '-' && c != '_' && c != '.' && c != ' ') {
      plain += name.substr(begin, at - begin);
    }
  }
  plain = document::fold_case(plain);
  std::ranges::replace(plain, '0', 'o');
  std::ranges::replace(plain, '1', 'l');
  std::ranges::replace(plain, '5', 's');
  return plain;
}

void check_name(const FileView& document, const ScanOptions& options, Findings& findings) {
  std::string_view name = std::string_view(document.document().name).substr(0, k_longest_name);
  if (name.empty()) {
    return;
  }
  const document::Yaml* value = document.document().front_matter.find("name");
  std::size_t line = document.document().parts.yaml_line - 1
                     + (value == nullptr ? 1 : static_cast<std::size_t>(value->line));
  std::size_t at = document.offset_of(line);
  if (mixes_scripts(name)) {
    findings.add_quoting(document, k_alike, at, std::string(name));
  }
  const std::string skeleton = skeleton_of(name);
  std::size_t count = std::min(options.known.size(), k_most_known);
  for (const KnownSkill& known : std::span(options.known).first(count)) {
    std::string message = likeness(name, skeleton, known, options.source);
    if (!message.empty()) {
      findings.add_quoting(document,
                           {"name-taken", Severity::warning, message, k_taken_hint},
                           at,
                           std::string(name) + ", and " + known.name + " from "
                               + (known.source.empty() ? "this machine" : known.source));
    }
  }
}

} // namespace upskill::danger
