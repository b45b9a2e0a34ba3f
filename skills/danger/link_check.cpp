#include "skills/danger/characters.h"
#include "skills/danger/checks.h"
#include "skills/danger/hosts.h"
#include "skills/document/links.h"

#include <algorithm>
#include <array>

namespace upskill::danger {
namespace {

constexpr std::size_t k_most_hosts = 10'000; // of one file
constexpr std::size_t k_longest_label = 300; // bytes of the text of a link

constexpr Danger k_leaves = {"link-leaves",
                             Severity::note,
                             "links to a file outside of the skill",
                             "put the file into the skill, or name where it is to be found"};
constexpr Danger k_leaves_far = {
    "link-leaves-far",
    Severity::warning,
    "links to a file of the system or of a person, outside of the skill",
    "a skill has no business there"};
constexpr Danger k_other_host = {"link-says-otherwise",
                                 Severity::warning,
                                 "a link shows one host and leads to another",
                                 "see where it leads before anybody follows it"};
constexpr Danger k_alike = {"host-look-alike",
                            Severity::warning,
                            "an address has a host that looks like a well-known one, and is not",
                            "see who owns it; do not download from there"};

// Those whose name is worth a forgery, and from which no other well-known one is a letter away.
constexpr std::array<std::string_view, 9> k_well_known{"github.com",
                                                       "githubusercontent.com",
                                                       "gitlab.com",
                                                       "huggingface.co",
                                                       "anthropic.com",
                                                       "googleapis.com",
                                                       "microsoft.com",
                                                       "amazonaws.com",
                                                       "npmjs.com"};

bool is_near_a_known_one(std::string_view host) {
  std::string_view owner = owner_of(host);
  return std::ranges::find(k_well_known, owner) == k_well_known.end()
         && std::ranges::any_of(k_well_known,
                                [&](std::string_view known) { return is_one_step(owner, known); });
}

// Letters of two scripts in one name, or one that is encoded so that nobody reads it.
bool is_odd(std::string_view host) {
  if (host.starts_with("xn--") || host.find(".xn--") != std::string_view::npos) {
    return true;
  }
  bool has_ascii_letter = false;
  bool has_look_alike = false;
  for (std::size_t at = 0; at < host.size();) {
    char32_t c = next_character(host, at);
    has_ascii_letter = has_ascii_letter || (c >= 'a' && c <= 'z');
    has_look_alike = has_look_alike || latin_look_alike(c) != 0;
  }
  return has_ascii_letter && has_look_alike;
}

void check_hosts(const FileView& view, Findings& findings) {
  for (const HostPlace& one : find_hosts(view.text(), k_most_hosts)) {
    if (is_odd(one.host) || is_near_a_known_one(one.host)) {
      findings.add(view, k_alike, one.at, one.at + one.size);
    }
  }
}

// The host that the text of a link names; empty where it names none.
std::string shown_host(std::string_view label) {
  std::vector<HostPlace> hosts = find_hosts(label, 1);
  bool is_address =
      !hosts.empty() && label.substr(0, hosts[0].at).find(' ') == std::string_view::npos;
  return is_address ? hosts[0].host : "";
}

// `[https://a](https://b)`.
void check_labels(const FileView& view, Findings& findings) {
  std::string_view text = view.text();
  for (std::size_t at = 0; (at = text.find("](http", at)) != std::string_view::npos; ++at) {
    std::size_t from = at - std::min(at, k_longest_label);
    std::size_t open = text.substr(from, at - from).rfind('[');
    if (open == std::string_view::npos) {
      continue;
    }
    open += from;
    std::string shown = shown_host(text.substr(open + 1, at - open - 1));
    std::vector<HostPlace> leads = find_hosts(text.substr(at + 2, k_longest_label), 1);
    if (!shown.empty() && !leads.empty() && owner_of(shown) != owner_of(leads[0].host)) {
      std::string_view rest = text.substr(at, k_longest_label);
      findings.add(view, k_other_host, open, at + std::min(rest.find(')'), rest.size() - 1) + 1);
    }
  }
}

// Leading `../`, and what follows them.
std::size_t steps_up(std::string_view& path) {
  std::size_t steps = 0;
  while (path.starts_with("../") || path == "..") {
    path.remove_prefix(std::min<std::size_t>(3, path.size()));
    ++steps;
  }
  return steps;
}

bool is_of_a_person(std::string_view path) {
  constexpr std::array<std::string_view, 9> k_places{
      "etc/", "root/", "home/", "Users/", "proc/", ".ssh", ".aws", ".env", ".gnupg"};
  return std::ranges::any_of(k_places, [&](auto place) { return path.starts_with(place); });
}

void check_paths(const FileView& view, Findings& findings) {
  bool is_document = view.kind() == FileKind::document;
  std::string_view body = is_document ? view.document().parts.body : view.text();
  if (body.empty()) {
    return;
  }
  auto first = static_cast<std::size_t>(body.data() - view.text().data());
  std::size_t lines_before = view.place_of(first).line - 1;
  auto depth = static_cast<std::size_t>(std::ranges::count(view.file().path, '/'));
  for (const document::FileReference& reference : document::find_file_references(body)) {
    std::string_view rest = reference.path;
    if (steps_up(rest) <= depth) {
      continue;
    }
    findings.add_quoting(view,
                         is_of_a_person(rest) ? k_leaves_far : k_leaves,
                         view.offset_of(lines_before + reference.line),
                         reference.path);
  }
}

} // namespace

void check_links(const FileView& view, Findings& findings) {
  check_hosts(view, findings);
  if (view.is_markdown()) {
    check_labels(view, findings);
    check_paths(view, findings);
  }
}

} // namespace upskill::danger
