#include "protocol/base/paths.h"
#include "skills/danger/characters.h"
#include "skills/danger/checks.h"
#include "skills/danger/file_kinds.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_large = 5u << 20; // bytes

constexpr Danger k_path = {"path-leaves",
                           Severity::severe,
                           "a path leads out of the skill's folder",
                           "do not unpack the skill"};
constexpr Danger k_link = {
    "symbolic-link-leaves",
    Severity::severe,
    "a symbolic link leads out of the skill's folder",
    "remove the link; what it leads to would be read as a part of the skill"};
constexpr Danger k_set_id = {"set-user-id-file",
                             Severity::severe,
                             "a file runs with the rights of its owner, whoever starts it",
                             "take the bit away: `chmod u-s,g-s FILE`"};
constexpr Danger k_disguised = {"program-disguised",
                                Severity::severe,
                                "a program has the name of a text or a picture",
                                "do not open or run it"};
constexpr Danger k_program = {"program-binary",
                              Severity::warning,
                              "holds a program that cannot be read",
                              "take it from its publisher, or build it from its sources"};
constexpr Danger k_byte_code = {"byte-code",
                                Severity::warning,
                                "holds compiled code, which can differ from the source beside it",
                                "delete it: it is made anew when the program runs"};
constexpr Danger k_encrypted = {
    "archive-encrypted",
    Severity::warning,
    "holds an archive that only a password opens, so that nobody looks in",
    "open it and put its files into the skill"};
constexpr Danger k_archive = {"archive",
                              Severity::warning,
                              "holds an archive, whose files are not looked at",
                              "put its files into the skill"};
constexpr Danger k_opaque = {"script-unreadable",
                             Severity::warning,
                             "a script holds bytes that are no text, so that patterns may miss it",
                             "write it as UTF-8"};
constexpr Danger k_hidden = {
    "hidden-file", Severity::note, "holds a file that folders do not show", "see what it is for"};
constexpr Danger k_environment = {"environment-file",
                                  Severity::warning,
                                  "holds a file of settings that usually has secrets in it",
                                  "leave it out; a `.env.example` shows the names"};
constexpr Danger k_agent_file = {"agent-configuration-file",
                                 Severity::warning,
                                 "holds a file that changes what agents, editors or git do",
                                 "see what it has them do; a skill works without it"};
constexpr Danger k_two_extensions = {"name-deceives",
                                     Severity::warning,
                                     "a file is named as if it were of another kind",
                                     "see what it is before anybody opens it"};
constexpr Danger k_odd_name = {"name-deceives",
                               Severity::severe,
                               "a name holds characters that hide what the file is",
                               "do not open or run it"};
constexpr Danger k_cut = {"file-large",
                          Severity::note,
                          "is larger than 1 MiB; only its beginning was looked at",
                          "look at the rest, or leave it out"};
constexpr Danger k_huge = {
    "file-large",
    Severity::note,
    "is larger than 5 MiB",
    "a skill is copied to many places: fetch large files when they are needed"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool leaves(std::string_view path) {
  if (path.empty() || path[0] == '/' || path.find('\0') != std::string_view::npos
      || path.find('\\') != std::string_view::npos || (path.size() > 1 && path[1] == ':')) {
    return true;
  }
  while (!path.empty()) {
    std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") {
      return true;
    }
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

bool link_leaves(const SkillFile& file) {
  const std::string& target = *file.link_target;
  if (target.empty() || target[0] == '/' || target.find('\\') != std::string::npos) {
    return true;
  }
  // Whatever lies round the skill's folder, a path that goes above it comes out at its side.
  std::string root = "/a/skill";
  std::string folder = join_path(root, parent_path(file.path) == "." ? "" : parent_path(file.path));
  return !is_inside(normalized_path(target, folder), root);
}

// Office documents and packages are zip files too, and are what they seem to be.
bool is_document_archive(std::string_view extension) {
  constexpr std::array<std::string_view, 16> k_extensions{"docx",
                                                          "xlsx",
                                                          "pptx",
                                                          "dotx",
                                                          "potx",
                                                          "xltx",
                                                          "odt",
                                                          "ods",
                                                          "odp",
                                                          "epub",
                                                          "jar",
                                                          "whl",
                                                          "apk",
                                                          "vsix",
                                                          "skill",
                                                          "ipynb"};
  return is_one_of(extension, k_extensions);
}

bool is_harmless_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 20> k_extensions{
      "md",  "txt", "json", "yaml", "yml", "toml", "csv", "xml", "html", "css",
      "png", "jpg", "jpeg", "gif",  "svg", "webp", "ico", "pdf", "ttf",  "mp3"};
  return is_one_of(extension, k_extensions);
}

void check_content(const FileView& view, Findings& findings) {
  const SkillFile& file = view.file();
  std::string extension = extension_of(file.path);
  switch (content_of(file.bytes)) {
  case Content::program: {
    bool is_disguised = is_harmless_extension(extension) || view.kind() == FileKind::script;
    findings.add_file(file.path, is_disguised ? k_disguised : k_program, file.path);
    break;
  }
  case Content::byte_code:
    findings.add_file(file.path, k_byte_code, file.path);
    break;
  case Content::archive:
    if (is_encrypted_zip(file.bytes)) {
      findings.add_file(file.path, k_encrypted, file.path);
    } else if (!is_document_archive(extension)) {
      findings.add_file(file.path, k_archive, file.path);
    }
    break;
  case Content::text:
  case Content::media:
    bool has_nul = view.text().find('\0') != std::string_view::npos;
    if (has_nul && (view.kind() == FileKind::script || view.is_markdown())) {
      findings.add(view, k_opaque, 0, 40);
    }
    break;
  }
}

void check_hidden(const SkillFile& file, Findings& findings) {
  constexpr std::array<std::string_view, 12> k_usual{".gitignore",
                                                     ".gitkeep",
                                                     ".gitattributes",
                                                     ".editorconfig",
                                                     ".env.example",
                                                     ".env.sample",
                                                     ".env.template",
                                                     ".prettierrc",
                                                     ".eslintrc.json",
                                                     ".npmignore",
                                                     ".dockerignore",
                                                     ".markdownlint.json"};
  constexpr std::array<std::string_view, 9> k_agents{".mcp.json",
                                                     "settings.json",
                                                     "settings.local.json",
                                                     "hooks.json",
                                                     "mcp.json",
                                                     "config.toml",
                                                     "tasks.json",
                                                     ".cursorrules",
                                                     ".windsurfrules"};
  std::string_view path = file.path;
  std::string_view name = base_name(path);
  bool is_hidden = path.starts_with('.') || path.find("/.") != std::string_view::npos;
  if (!is_hidden || is_one_of(name, k_usual)) {
    return;
  }
  bool is_git_hook = path.starts_with(".git/hooks/") || path.find("/.git/hooks/") != path.npos;
  if (name == ".env" || name.starts_with(".env.")) {
    findings.add_file(path, k_environment, path);
  } else if (is_one_of(name, k_agents) || (is_git_hook && !name.ends_with(".sample"))) {
    findings.add_file(path, k_agent_file, path);
  } else {
    findings.add_file(path, k_hidden, path);
  }
}

// `report.pdf.exe`, and names whose letters are not what they seem.
void check_file_name(const SkillFile& file, Findings& findings) {
  constexpr std::array<std::string_view, 10> k_run{
      "exe", "scr", "bat", "cmd", "com", "vbs", "ps1", "sh", "command", "app"};
  std::string_view path = file.path;
  for (std::size_t at = 0; at < path.size();) {
    char32_t c = next_character(path, at);
    if (c == k_ill_formed) {
      continue;
    }
    if (c < 0x20 || c == 0x7F || is_bidi_control(c) || is_tag(c) || is_zero_width(c)) {
      findings.add_file(path, k_odd_name, path);
      return;
    }
  }
  std::string extension = extension_of(path);
  std::string inner =
      extension.empty() ? "" : extension_of(path.substr(0, path.size() - extension.size() - 1));
  constexpr std::array<std::string_view, 11> k_shown{
      "pdf", "png", "jpg", "jpeg", "gif", "txt", "md", "docx", "xlsx", "mp3", "mp4"};
  if (is_one_of(extension, k_run) && is_one_of(inner, k_shown)) {
    findings.add_file(path, k_two_extensions, path);
  }
}

} // namespace

void check_file(const FileView& view, Findings& findings) {
  const SkillFile& file = view.file();
  if (leaves(file.path)) {
    findings.add_file(file.path, k_path, file.path);
  }
  check_file_name(file, findings);
  if (file.link_target) {
    if (link_leaves(file)) {
      findings.add_file(file.path, k_link, file.path + " -> " + *file.link_target);
    }
    return;
  }
  if (file.is_set_id) {
    findings.add_file(file.path, k_set_id, file.path);
  }
  check_content(view, findings);
  check_hidden(file, findings);
  if (view.text().size() < file.bytes.size() && view.is_text()) {
    findings.add_file(file.path, k_cut, std::to_string(file.bytes.size()) + " bytes");
  } else if (file.bytes.size() > k_large) {
    findings.add_file(file.path, k_huge, std::to_string(file.bytes.size()) + " bytes");
  }
}

} // namespace upskill::danger
