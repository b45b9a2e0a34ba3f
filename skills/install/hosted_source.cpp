#include "skills/install/hosted_source.h"

#include "skills/install/source_parts.h"
#include "skills/install/web_address.h"

#include <algorithm>
#include <array>
#include <optional>

namespace upskill::install {
namespace {

// An address, taken apart. The views point into it.
struct Place {
  WebAddress address;
  std::string fragment = {};
  std::vector<std::string_view> parts = {};

  bool has(std::size_t at, std::string_view part) const {
    return at < parts.size() && parts[at] == part;
  }

  std::string repository(std::size_t last) const {
    std::string path = joined(parts, 0, last);
    return address.origin() + "/" + path + (path.ends_with(".git") ? "" : ".git");
  }
};

// Nothing where the address is of another form.
using Recognized = std::optional<Result<Source>>;

// Without the user name, which is nobody's to keep: often enough it is a token.
Result<std::string> without_user(std::string_view address) {
  std::size_t begin = address.find("://") + 3;
  std::size_t end = std::min(address.find_first_of("/?#", begin), address.size());
  std::size_t at = address.substr(begin, end - begin).rfind('@');
  if (at == std::string_view::npos) {
    return std::string(address);
  }
  if (address.substr(begin, at).find(':') != std::string_view::npos) {
    return no_source("the address has a password in it, which would be written down",
                     "leave it out; git asks its own credential helpers");
  }
  return std::string(address.substr(0, begin)) + std::string(address.substr(begin + at + 1));
}

Source plain_source(SourceKind kind, std::string type, WebAddress address) {
  Source source;
  source.kind = kind;
  source.type = std::move(type);
  source.secret = take_secrets(address.query);
  source.address = address.text();
  source.name = address.origin() + address.path;
  return source;
}

Result<Source> file_at(const WebAddress& address) {
  if (is_document_name(address.path)) {
    return plain_source(SourceKind::document_at, "document", address);
  }
  if (is_archive_name(address.path)) {
    return plain_source(SourceKind::archive_at, "archive", address);
  }
  return no_source("the address is of a file that is no skill: "
                       + shown_words(address.origin() + address.path),
                   "a `SKILL.md`, `.skill`, `.zip`, `.tar.gz` or `.tgz` can be installed");
}

Result<Source> git_at(const Place& place,
                      std::size_t last,
                      std::string_view ref = {},
                      std::string_view folder = {}) {
  TRY_ASSIGN(Fragment fragment, read_fragment(place.fragment));
  return git_source(
      place.repository(last), percent_decoded(ref), percent_decoded(folder), fragment);
}

// `tree/REF/FOLDER`, `blob/REF/FOLDER/SKILL.md`, and files, from the part `at` on, of the
// repository that the parts before `last` name.
Result<Source> within_repository(const Place& place, std::size_t at, std::size_t last) {
  std::string_view ref = at + 1 < place.parts.size() ? place.parts[at + 1] : std::string_view();
  if (place.has(at, "tree") && !ref.empty()) {
    return git_at(place, last, ref, joined(place.parts, at + 2));
  }
  if (place.has(at, "blob") && place.parts.size() > at + 2) {
    if (is_document_name(place.parts.back())) {
      return git_at(place, last, ref, joined(place.parts, at + 2));
    }
    WebAddress raw = place.address; // the page of a file shows it, and is not it
    raw.path = "/" + joined(place.parts, 0, at) + "/raw/" + joined(place.parts, at + 1);
    return file_at(raw);
  }
  if (place.has(at, "raw") || place.has(at, "archive")
      || (place.has(at, "releases") && place.has(at + 1, "download"))) {
    return file_at(place.address);
  }
  return no_source(shown_words(place.address.origin() + place.address.path)
                       + " is no address of a repository",
                   "write `owner/repo`, or the address of a folder in it (`/tree/...`)");
}

Recognized github(const Place& place) {
  const WebAddress& address = place.address;
  bool own = address.host == "github.com";
  bool enterprise =
      (address.host.starts_with("github.") && std::ranges::count(address.host, '.') > 1)
      || address.host.ends_with(".ghe.com");
  // A company's GitHub (and Gitea) may be called anything.
  bool looks =
      place.parts.size() > 3
      && (place.has(2, "tree") || (place.has(2, "blob") && is_document_name(place.parts.back())));
  if (!own && !enterprise && !looks) {
    return std::nullopt;
  }
  if (place.parts.size() < 2) {
    return no_source(shown_words(address.origin() + address.path)
                         + " is no address of a repository",
                     "write `owner/repo`");
  }
  Result<std::string> name = repository_name(place.parts[0], place.parts[1]);
  if (!name) {
    return tl::make_unexpected(name.error());
  }
  return place.parts.size() == 2 ? git_at(place, 2) : within_repository(place, 2, 2);
}

Recognized gitlab(const Place& place) {
  bool own = place.address.host == "gitlab.com";
  auto dash = std::ranges::find(place.parts, "-");
  auto at = static_cast<std::size_t>(dash - place.parts.begin());
  bool has_way = at + 1 < place.parts.size();
  if (!own && !(has_way && at >= 2)) {
    return std::nullopt;
  }
  if (at < 2) {
    return no_source(shown_words(place.address.origin() + place.address.path)
                         + " is no address of a repository",
                     "write `gitlab:group/repo`");
  }
  return has_way ? within_repository(place, at + 1, at) : git_at(place, at);
}

// `owner/repo/src/REF/FOLDER` of Bitbucket; Gitea says `src/branch/REF/FOLDER`.
Recognized bitbucket_or_gitea(const Place& place) {
  bool own = place.address.host == "bitbucket.org";
  bool has_way = place.parts.size() > 3 && place.has(2, "src");
  bool gitea = has_way && place.parts.size() > 4
               && (place.has(3, "branch") || place.has(3, "tag") || place.has(3, "commit"));
  if (own) {
    if (place.parts.size() == 2) {
      return git_at(place, 2);
    }
    return has_way ? git_at(place, 2, place.parts[3], joined(place.parts, 4))
                   : file_at(place.address);
  }
  return gitea ? Recognized(git_at(place, 2, place.parts[4], joined(place.parts, 5)))
               : std::nullopt;
}

// A value of a query, decoded.
std::string value_of(std::string_view query, std::string_view key) {
  query.remove_prefix(query.starts_with('?') ? 1 : 0);
  while (!query.empty()) {
    std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) {
      return percent_decoded(pair.substr(key.size() + 1));
    }
  }
  return {};
}

Recognized azure(const Place& place) {
  auto mark = std::ranges::find(place.parts, "_git");
  auto last = static_cast<std::size_t>(mark - place.parts.begin()) + 2;
  if (last > place.parts.size()) {
    return std::nullopt;
  }
  std::string version = value_of(place.address.query, "version");
  for (std::string_view kind : {"GB", "GT", "GC"}) { // a branch, a tag, a commit
    if (version.starts_with(kind)) {
      version.erase(0, kind.size());
      break;
    }
  }
  Result<Fragment> fragment = read_fragment(place.fragment);
  if (!fragment) {
    return tl::make_unexpected(fragment.error());
  }
  return git_source(place.address.origin() + "/" + joined(place.parts, 0, last),
                    version,
                    value_of(place.address.query, "path"),
                    *fragment);
}

Result<Source> of_any_host(const Place& place) {
  WebAddress address = place.address;
  while (address.path.size() > 1 && address.path.ends_with('/')) {
    address.path.pop_back();
  }
  if (address.path.ends_with(".git")) {
    return git_at(place, place.parts.size());
  }
  TRY_ASSIGN(Fragment fragment,
             read_fragment(place.fragment.starts_with('@') ? place.fragment : ""));
  Source source;
  if (is_document_name(address.path) || is_archive_name(address.path)) {
    TRY_ASSIGN(source, file_at(address));
  } else if (address.host == "codeload.github.com") {
    source = plain_source(SourceKind::archive_at, "archive", address);
  } else {
    source = plain_source(SourceKind::well_known, "well-known", address);
    source.name = address.host.starts_with("www.") ? address.host.substr(4) : address.host;
  }
  if (!fragment.skill.empty()) {
    source.skills.push_back(fragment.skill);
  }
  return source;
}

Result<Place> read_place(std::string_view text) {
  Place place;
  TRY_ASSIGN(std::string named, without_user(text));
  std::size_t hash = std::min(named.find('#'), named.size());
  place.fragment = named.substr(std::min(hash + 1, named.size()));
  TRY_ASSIGN(place.address, read_web_address(std::string_view(named).substr(0, hash)));
  WebAddress& address = place.address;
  if (address.host == "www.github.com") {
    address.host = "github.com";
  }
  if (address.host == "github.com" || address.host == "gitlab.com"
      || address.host == "bitbucket.org") {
    address.is_plain = false;
    address.port = 443;
  }
  return place;
}

} // namespace

Result<Source> parse_hosted(std::string_view text) {
  TRY_ASSIGN(Place place, read_place(text));
  std::string path = place.address.path;
  InnerSplit inner = split_inner(path);
  place.parts = path_parts(inner.before);
  if (!inner.folder.empty()) {
    return git_at(place, place.parts.size(), {}, inner.folder);
  }
  for (Recognized (*form)(const Place&) : {azure, gitlab, github, bitbucket_or_gitea}) {
    if (Recognized source = form(place)) {
      return std::move(*source);
    }
  }
  return of_any_host(place);
}

Result<Source> parse_server(std::string_view text) {
  if (!text.starts_with("https://") && !text.starts_with("http://")) {
    return no_source("an MCP server is named by its address",
                     "write `mcp:https://example.com/mcp`");
  }
  TRY_ASSIGN(Place place, read_place(text));
  Source source = plain_source(SourceKind::mcp, "mcp", place.address);
  if (!place.fragment.empty()) {
    if (!place.fragment.starts_with("skill://")) {
      return no_source("what follows `#` is no address of a skill",
                       "write `mcp:https://example.com/mcp#skill://name/SKILL.md`");
    }
    source.skills.push_back(place.fragment);
  }
  return source;
}

} // namespace upskill::install
