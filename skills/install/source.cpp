#include "skills/install/source.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/hosted_source.h"
#include "skills/install/source_parts.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace upskill::install {
namespace {

constexpr std::string_view k_forms =
    "write `owner/repo`, an address that begins with `https://`, or a folder as `./folder`";
constexpr std::string_view k_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

std::string_view trimmed(std::string_view words) {
  std::size_t begin = std::min(words.find_first_not_of(" \t\r\n"), words.size());
  words.remove_prefix(begin);
  return words.substr(0, words.find_last_not_of(" \t\r\n") + 1);
}

bool is_local(std::string_view words) {
  return words.starts_with('/') || words.starts_with("./") || words.starts_with("../")
         || words.starts_with("~/") || words == "." || words == ".." || words == "~";
}

bool is_drive(std::string_view words) {
  return words.size() > 2 && words[1] == ':' && (words[2] == '/' || words[2] == '\\');
}

Result<std::string> absolute_path(std::string_view words, const SourceSetting& setting) {
  if (words.starts_with('~')) {
    if (setting.home.empty()) {
      return no_source("nobody said which home " + shown_words(words) + " is in",
                       "give the whole path");
    }
    return normalized_path(expand_home(words, setting.home), "/");
  }
  if (!words.starts_with('/') && setting.cwd.empty()) {
    return no_source("nobody said which folder " + shown_words(words) + " is relative to",
                     "give the whole path");
  }
  return normalized_path(words, setting.cwd);
}

Result<Source> local_source(std::string_view words, const SourceSetting& setting) {
  Source source;
  source.type = "local";
  TRY_ASSIGN(source.address, absolute_path(words, setting));
  source.name = source.address;

  struct stat status {};

  if (::stat(source.address.c_str(), &status) != 0) {
    Error error = system_error(errno, "cannot find " + in_backticks(source.address));
    error.hint = error.hint.empty() ? "look at how the path is written" : error.hint;
    return fail(std::move(error));
  }
  if (S_ISDIR(status.st_mode)) {
    source.kind = SourceKind::folder;
  } else if (S_ISREG(status.st_mode) && is_document_name(source.address)) {
    source.kind = SourceKind::document;
  } else if (S_ISREG(status.st_mode) && is_archive_name(source.address)) {
    source.kind = SourceKind::archive;
  } else {
    return no_source(in_backticks(source.address) + " is no skill",
                     "a folder, a `SKILL.md`, a `.skill`, `.zip`, `.tar.gz` or `.tgz` can be "
                     "installed");
  }
  return source;
}

// Words up to `#`, and what follows it.
struct Split {
  std::string_view before;
  std::string_view fragment;
};

Split split_fragment(std::string_view words) {
  std::size_t at = std::min(words.find('#'), words.size());
  return {words.substr(0, at), words.substr(std::min(at + 1, words.size()))};
}

// `owner/repo`, `owner/repo@skill`, `owner/repo/folder`, at the host that `origin` is of.
Result<Source> shorthand(std::string_view words, std::string_view origin) {
  Split split = split_fragment(words);
  TRY_ASSIGN(Fragment fragment, read_fragment(split.fragment));
  std::size_t slash = std::min(split.before.find('/'), split.before.size());
  std::string_view owner = split.before.substr(0, slash);
  std::string_view rest = split.before.substr(std::min(slash + 1, split.before.size()));
  std::size_t end = std::min(rest.find_first_of("/@"), rest.size());
  TRY_ASSIGN(std::string name, repository_name(owner, rest.substr(0, end)));
  rest.remove_prefix(end);
  bool names_skill = rest.starts_with('@');
  std::string after = percent_decoded(rest.substr(rest.empty() ? 0 : 1));
  return git_source(std::string(origin) + name + ".git",
                    {},
                    names_skill ? std::string() : after,
                    fragment,
                    names_skill ? after : std::string());
}

// `group/subgroup/repo@skill` at GitLab: all of it is the repository's name.
Result<Source> gitlab_shorthand(std::string_view words) {
  Split split = split_fragment(words);
  TRY_ASSIGN(Fragment fragment, read_fragment(split.fragment));
  std::size_t at = std::min(split.before.find('@'), split.before.size());
  std::string skill = percent_decoded(split.before.substr(std::min(at + 1, split.before.size())));
  std::vector<std::string_view> parts = path_parts(split.before.substr(0, at));
  if (parts.size() < 2) {
    return no_source(shown_words(words) + " is no repository of GitLab",
                     "write `gitlab:group/repo`");
  }
  for (std::string_view part : parts) {
    TRY(repository_name(part, parts.back()));
  }
  std::string path = joined(parts, 0);
  return git_source("https://gitlab.com/" + path + (path.ends_with(".git") ? "" : ".git"),
                    {},
                    {},
                    fragment,
                    std::move(skill));
}

// Who logs in at which host, as `user@host` or `host`. What git hands on to ssh must look like
// neither an option nor another address.
Result<std::string> login(std::string_view written, bool keeps_user) {
  std::size_t at = written.rfind('@');
  std::string_view user = at == std::string_view::npos ? std::string_view() : written.substr(0, at);
  std::string_view host = at == std::string_view::npos ? written : written.substr(at + 1);
  if (user.find(':') != std::string_view::npos) {
    return no_source("the address has a password in it, which would be written down",
                     "leave it out");
  }
  std::string allowed = std::string(k_letters) + "-_.";
  TRY_ASSIGN(WebAddress read, read_web_address("https://" + std::string(host)));
  if (host.starts_with('-') || host.find_first_of("?#") != std::string_view::npos
      || user.starts_with('-') || user.find_first_not_of(allowed) != std::string_view::npos) {
    return no_source("the address has no host that can be reached", std::string(k_forms));
  }
  // 443 is usual for `https` only.
  std::string place = host.ends_with(":443") ? read.where() : read.origin().substr(8);
  return keeps_user && !user.empty() ? std::string(user) + "@" + place : place;
}

// `ssh://`, `git://` and `file://`.
Result<Source> git_scheme(std::string_view words) {
  Split split = split_fragment(words);
  TRY_ASSIGN(Fragment fragment, read_fragment(split.fragment));
  InnerSplit inner = split_inner(split.before);
  std::size_t begin = inner.before.find("://") + 3;
  std::size_t slash = std::min(inner.before.find('/', begin), inner.before.size());
  std::string_view scheme = inner.before.substr(0, begin);
  std::string_view host = inner.before.substr(begin, slash - begin);
  std::string_view path = inner.before.substr(slash);
  if (path.size() < 2) {
    return no_source(shown_words(words) + " names no repository", std::string(k_forms));
  }
  std::string place;
  if (scheme != "file://") {
    TRY_ASSIGN(place, login(host, scheme == "ssh://"));
  } else if (!host.empty() && host != "localhost") {
    return no_source(shown_words(words) + " is of another machine",
                     "write `file:///folder/repo`, with three slashes");
  }
  return git_source(
      std::string(scheme) + place + std::string(path), {}, percent_decoded(inner.folder), fragment);
}

// `git@host:owner/repo.git`, as scp has it.
bool is_scp_like(std::string_view words) {
  words = split_fragment(words).before;
  std::size_t colon = words.find(':');
  std::size_t at = words.find('@');
  return colon != std::string_view::npos && at > 0 && at < colon && words.find('/') > colon;
}

Result<Source> scp_like(std::string_view words) {
  Split split = split_fragment(words);
  TRY_ASSIGN(Fragment fragment, read_fragment(split.fragment));
  InnerSplit inner = split_inner(split.before);
  std::size_t colon = inner.before.find(':');
  std::string_view path = inner.before.substr(colon + 1);
  if (path.empty() || path.starts_with('-') || path.starts_with(':')) {
    return no_source(shown_words(words) + " names no repository", std::string(k_forms));
  }
  TRY_ASSIGN(std::string place, login(inner.before.substr(0, colon), true));
  return git_source(place + ":" + std::string(path), {}, percent_decoded(inner.folder), fragment);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return out;
}

Result<Source> with_scheme(std::string_view words, std::size_t colon) {
  std::string scheme = lower(words.substr(0, colon));
  std::string named = scheme + std::string(words.substr(colon));
  if (scheme == "https" || scheme == "http") {
    return parse_hosted(named);
  }
  if (scheme == "ssh" || scheme == "git" || scheme == "file") {
    return git_scheme(named);
  }
  return no_source("skills are not fetched by " + in_backticks(utf8_prefix(scheme, 40)),
                   "`https`, `ssh`, `git` and `file` are known");
}

Result<Source> bare_word(std::string_view words, const SourceSetting& setting) {

  struct stat status {};

  bool is_here =
      !setting.cwd.empty() && ::stat(join_path(setting.cwd, words).c_str(), &status) == 0;
  return no_source(shown_words(words) + " is no source of skills",
                   is_here ? "for what lies here write " + in_backticks("./" + std::string(words))
                           : std::string(k_forms));
}

} // namespace

Result<Source> parse_source(std::string_view words, const SourceSetting& setting) {
  words = trimmed(words);
  bool odd = !is_utf8(words) || std::ranges::any_of(words, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (words.empty() || words.size() > k_longest_source || odd) {
    return no_source(words.empty() ? "nothing is named to install from"
                     : odd         ? "the source has a control character, or is no UTF-8"
                                   : "the source has more than 4096 bytes",
                     std::string(k_forms));
  }
  if (is_local(words)) {
    return local_source(words, setting);
  }
  if (is_drive(words)) {
    return no_source(shown_words(words) + " is a path of Windows", std::string(k_forms));
  }
  if (words.starts_with("mcp:")) {
    return parse_server(words.substr(4));
  }
  if (words.starts_with("github:")) {
    return shorthand(words.substr(7), "https://github.com/");
  }
  if (words.starts_with("gitlab:")) {
    return gitlab_shorthand(words.substr(7));
  }
  if (words.starts_with("bitbucket:")) {
    return shorthand(words.substr(10), "https://bitbucket.org/");
  }
  std::size_t name = words.find_first_not_of(std::string(k_letters) + "+-.");
  if (name != std::string_view::npos && words.substr(name).starts_with("::")) {
    return no_source("git's transport " + in_backticks(words.substr(0, name))
                         + " would run a program, and is not used",
                     std::string(k_forms));
  }
  if (name != std::string_view::npos && words.substr(name).starts_with("://")) {
    return with_scheme(words, name);
  }
  if (is_scp_like(words)) {
    return scp_like(words);
  }
  return words.find('/') == std::string_view::npos ? bare_word(words, setting)
                                                   : shorthand(words, "https://github.com/");
}

} // namespace upskill::install
