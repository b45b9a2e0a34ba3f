#include "skills/library/skill_uri.h"

#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace upskill::library {
namespace {

constexpr std::string_view k_scheme = "skill://";
constexpr std::size_t k_max_uri = 4096; // bytes, as MCP's own bound

bool is_unreserved(char byte) { // RFC 3986, 2.3
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
         || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_'
         || byte == '~';
}

void append_encoded(std::string& uri, std::string_view text, bool keeps_slash) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  for (char byte : text) {
    if (is_unreserved(byte) || (keeps_slash && byte == '/')) {
      uri += byte;
    } else {
      uri += '%';
      uri += k_digits[static_cast<unsigned char>(byte) >> 4];
      uri += k_digits[static_cast<unsigned char>(byte) & 15];
    }
  }
}

int digit(char byte) {
  return byte >= '0' && byte <= '9'   ? byte - '0'
         : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
         : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                      : -1;
}

bool is_part(std::string_view text) {
  return !text.empty() && text != "." && text != ".."
         && text.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos
         && is_utf8(text);
}

// One part between slashes; decoded once, so that `%252e` is a name with a percent sign in it.
std::optional<std::string> decode(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      text += part[i];
      continue;
    }
    int high = i + 2 < part.size() ? digit(part[i + 1]) : -1;
    int low = i + 2 < part.size() ? digit(part[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    text += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return is_part(text) ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::vector<std::string>> parts_of(std::string_view uri) {
  if (uri.size() > k_max_uri || !uri.starts_with(k_scheme)
      || uri.find_first_of("?#") != std::string_view::npos) {
    return std::nullopt;
  }
  uri.remove_prefix(k_scheme.size());
  std::vector<std::string> parts;
  for (;;) {
    std::size_t slash = uri.find('/');
    std::optional<std::string> part = decode(uri.substr(0, slash));
    if (!part) {
      return std::nullopt;
    }
    parts.push_back(std::move(*part));
    if (slash == std::string_view::npos) {
      return parts;
    }
    uri.remove_prefix(slash + 1);
  }
}

// `least` parts must follow what names the project.
Result<SkillUri>
parse(std::string_view uri, std::span<const std::string> projects, std::size_t least) {
  std::optional<std::vector<std::string>> parts = parts_of(uri);
  SkillUri parsed;
  std::size_t next = 0;
  if (parts && parts->size() > least
      && std::ranges::find(projects, parts->front()) != projects.end()) {
    parsed.project = parts->front();
    next = 1;
  }
  if (!parts || parts->size() < next + least) {
    return fail(ErrorCode::not_found,
                "`" + to_valid_utf8(utf8_prefix(uri, 256)) + "` is no resource of ours",
                "`resources/list` has them; their form is `skill://NAME/FILE`");
  }
  parsed.skill = std::move((*parts)[next]);
  for (std::size_t i = next + 1; i < parts->size(); ++i) {
    parsed.file += (parsed.file.empty() ? "" : "/") + (*parts)[i];
  }
  return parsed;
}

} // namespace

std::string project_id(std::string_view project_path) {
  return project_path.empty() ? std::string() : "project-" + sha256(project_path).brief(8);
}

std::string skill_prefix(std::string_view project_path, std::string_view skill) {
  std::string uri(k_scheme);
  if (!project_path.empty()) {
    uri += project_id(project_path) + "/";
  }
  append_encoded(uri, skill, false);
  uri += '/';
  return uri;
}

std::string
skill_uri(std::string_view project_path, std::string_view skill, std::string_view file) {
  std::string uri = skill_prefix(project_path, skill);
  append_encoded(uri, file, true);
  return uri;
}

std::optional<std::string> uri_below(std::string_view prefix, std::string_view file) {
  for (std::string_view rest = file;;) {
    std::size_t slash = rest.find('/');
    if (!is_part(rest.substr(0, slash))) {
      return std::nullopt;
    }
    if (slash == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(slash + 1);
  }
  std::string uri(prefix);
  append_encoded(uri, file, true);
  return uri.size() > k_max_uri ? std::nullopt : std::optional(std::move(uri));
}

Result<SkillUri> parse_skill_uri(std::string_view uri, std::span<const std::string> projects) {
  return parse(uri, projects, 2);
}

Result<SkillUri> parse_folder_uri(std::string_view uri, std::span<const std::string> projects) {
  return parse(uri, projects, 1);
}

} // namespace upskill::library
