#include "skills/install/source_parts.h"

#include <algorithm>

namespace upskill::install {
namespace {

constexpr std::string_view k_github = "https://github.com/";
constexpr std::string_view k_gitlab = "https://gitlab.com/";

// `owner/repo`, or more groups, as the short forms take it.
bool is_short_name(std::string_view name, std::size_t most_parts) {
  std::vector<std::string_view> parts = path_parts(name);
  bool whole = parts.size() >= 2 && parts.size() <= most_parts && joined(parts, 0) == name
               && !name.ends_with(".git");
  return whole && std::ranges::all_of(parts, [&](std::string_view part) {
           return repository_name(part, parts.back()).has_value();
         });
}

std::string fragment_of(const Source& source) {
  std::string fragment = percent_encoded(source.ref, "@#");
  if (source.skills.size() == 1) {
    fragment += "@" + percent_encoded(source.skills.front(), "#");
  }
  return fragment.empty() ? fragment : "#" + fragment;
}

std::string azure_words(const Source& source) {
  std::string words = source.address + "?path=/" + encoded_path(source.folder);
  if (!source.ref.empty()) {
    words += "&version=GB" + encoded_path(source.ref);
  }
  Source skill_only;
  skill_only.skills = source.skills;
  return words + fragment_of(skill_only);
}

std::string git_words(const Source& source) {
  std::string fragment = fragment_of(source);
  bool is_owned = source.address == std::string(k_github) + source.name + ".git"
                  && is_short_name(source.name, 2);
  if (is_owned) {
    std::string folder = percent_encoded(source.folder, "#");
    return source.name + (folder.empty() ? "" : "/" + folder) + fragment;
  }
  if (source.folder.empty()) {
    bool is_grouped = source.address == std::string(k_gitlab) + source.name + ".git"
                      && is_short_name(source.name, std::string_view::npos);
    return (is_grouped ? "gitlab:" + source.name : source.address) + fragment;
  }
  // Only of Azure may a repository with a folder be called without it.
  return source.address.ends_with(".git")
             ? source.address + "//" + encoded_path(source.folder) + fragment
             : azure_words(source);
}

} // namespace

std::string address_of(const Source& source) {
  bool has_query = source.address.find('?') != std::string::npos;
  return source.secret.empty() ? source.address
                               : source.address + (has_query ? "&" : "?") + source.secret;
}

std::string words_of(const Source& source) {
  switch (source.kind) {
  case SourceKind::git:
    return git_words(source);
  case SourceKind::mcp:
    return "mcp:" + source.address
           + (source.skills.size() == 1 ? "#" + source.skills.front() : std::string());
  case SourceKind::archive_at:
  case SourceKind::document_at:
  case SourceKind::well_known:
    return source.address + fragment_of(source);
  case SourceKind::folder:
  case SourceKind::archive:
  case SourceKind::document:
    break;
  }
  return source.address;
}

} // namespace upskill::install
