#include "skills/install/source_parts.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>

namespace upskill::install {
namespace {

constexpr std::size_t k_shown = 200; // bytes of words in a message
constexpr std::string_view k_hex = "0123456789ABCDEF";
constexpr std::string_view k_git = ".git";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

int hex_value(char c) {
  std::size_t at = k_hex.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - ('a' - 'A')) : c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

bool ends_with_any_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size()
         && std::ranges::equal(text.substr(text.size() - end.size()), end, {}, lower, lower);
}

Result<void> check_ref(std::string_view ref) {
  bool odd = !is_utf8(ref) || ref.starts_with('-') || ref.find("..") != std::string_view::npos
             || ref.find_first_of(" ~^:?*[\\") != std::string_view::npos
             || std::ranges::any_of(ref, is_control);
  if (odd) {
    return no_source("what follows `#` is no branch, tag or commit of git",
                     "write `owner/repo#v1.2`, or `owner/repo#main@skill`");
  }
  return {};
}

Result<void> check_skill(std::string_view skill) {
  if (!is_utf8(skill) || std::ranges::any_of(skill, is_control)) {
    return no_source("what follows `@` is no name of a skill");
  }
  return {};
}

// The path at its host, where that is what people call the repository.
std::string_view path_at(std::string_view address, std::string_view origin) {
  if (!address.starts_with(origin)) {
    return {};
  }
  address.remove_prefix(origin.size());
  return address.substr(0, address.size() - (address.ends_with(k_git) ? k_git.size() : 0));
}

} // namespace

tl::unexpected<Error> no_source(std::string message, std::string hint) {
  return fail(ErrorCode::invalid_argument, std::move(message), std::move(hint));
}

std::string shown_words(std::string_view words) {
  std::string shown(words);
  std::size_t scheme = shown.find("://");
  std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  std::size_t user = shown.find_last_of('@', shown.find_first_of("/?#", begin));
  bool is_user = scheme != std::string::npos || shown.find(':') < user;
  if (user != std::string::npos && user >= begin && is_user) {
    shown.erase(begin, user + 1 - begin);
  }
  return in_backticks(utf8_prefix(shown, k_shown));
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool encoded = text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0
                   && hex_value(text[at + 2]) >= 0;
    if (encoded) {
      out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view reserved) {
  std::string out;
  for (char c : text) {
    if (c == '%' || c == ' ' || is_control(c) || reserved.find(c) != std::string_view::npos) {
      auto byte = static_cast<unsigned char>(c);
      out.append({'%', k_hex[byte >> 4], k_hex[byte & 15]});
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) {
      parts.push_back(path.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

std::string
joined(const std::vector<std::string_view>& parts, std::size_t first, std::size_t last) {
  std::string path;
  for (std::size_t at = first; at < std::min(last, parts.size()); ++at) {
    path.append(path.empty() ? "" : "/").append(parts[at]);
  }
  return path;
}

Result<std::string> inner_folder(std::string_view path) {
  if (!is_utf8(path) || std::ranges::any_of(path, is_control)) {
    return no_source("the folder within the source has a character that no name has");
  }
  std::vector<std::string_view> parts = path_parts(path);
  std::erase(parts, ".");
  if (std::ranges::find(parts, "..") != parts.end()) {
    return no_source("the folder within the source leads out of it",
                     "name it from the source's own folder on, without `..`");
  }
  if (!parts.empty() && is_document_name(parts.back())) {
    parts.pop_back();
  }
  return joined(parts, 0);
}

Result<Fragment> read_fragment(std::string_view text) {
  std::size_t at = std::min(text.find('@'), text.size());
  Fragment fragment{percent_decoded(text.substr(0, at)),
                    percent_decoded(text.substr(std::min(at + 1, text.size())))};
  TRY(check_ref(fragment.ref));
  TRY(check_skill(fragment.skill));
  return fragment;
}

Result<Source> git_source(std::string address,
                          std::string ref,
                          std::string_view folder,
                          const Fragment& fragment,
                          std::string skill) {
  Source source;
  TRY_ASSIGN(source.folder, inner_folder(folder));
  source.ref = ref.empty() ? fragment.ref : std::move(ref);
  TRY(check_ref(source.ref));
  TRY(check_skill(skill));
  if (!skill.empty() && !fragment.skill.empty()) {
    return no_source("the source names a skill twice", "leave out one of the two");
  }
  skill += fragment.skill;
  if (!skill.empty()) {
    source.skills.push_back(std::move(skill));
  }
  std::string_view at_github = path_at(address, "https://github.com/");
  std::string_view at_gitlab = path_at(address, "https://gitlab.com/");
  source.type = !at_github.empty() ? "github" : !at_gitlab.empty() ? "gitlab" : "git";
  source.name = !at_github.empty() ? at_github : !at_gitlab.empty() ? at_gitlab : address;
  source.address = std::move(address);
  return source;
}

InnerSplit split_inner(std::string_view path) {
  std::size_t at = path.find(".git//");
  return at == std::string_view::npos ? InnerSplit{path, {}}
                                      : InnerSplit{path.substr(0, at + 4), path.substr(at + 6)};
}

bool is_document_name(std::string_view path) {
  return ends_with_any_case(path, "SKILL.md") && (path.size() == 8 || path[path.size() - 9] == '/');
}

bool is_archive_name(std::string_view path) {
  return std::ranges::any_of(std::array{".skill", ".zip", ".tar.gz", ".tgz"},
                             [&](std::string_view end) { return ends_with_any_case(path, end); });
}

Result<std::string> repository_name(std::string_view owner, std::string_view repository) {
  if (repository.size() > k_git.size() && repository.ends_with(k_git)) {
    repository.remove_suffix(k_git.size());
  }
  constexpr std::string_view k_letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  for (std::string_view name : {owner, repository}) {
    if (name.empty() || name.front() == '-' || name == "." || name == ".."
        || name.find_first_not_of(k_letters) != std::string_view::npos) {
      return no_source(shown_words(name) + " is no name that a repository or its owner has",
                       "write `owner/repo`; a folder of this machine as `./folder`");
    }
  }
  return std::string(owner) + "/" + std::string(repository);
}

} // namespace upskill::install
