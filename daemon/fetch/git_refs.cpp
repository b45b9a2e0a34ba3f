#include "daemon/fetch/git_refs.h"

#include "daemon/fetch/ascii.h"
#include "daemon/git/git_output.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <set>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr std::size_t k_most_near = 3;
constexpr std::size_t k_shortest_part = 3; // letters

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace

Result<std::vector<RemoteRef>> read_remote_refs(std::string_view output) {
  std::vector<RemoteRef> refs;
  while (!output.empty()) {
    std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    std::size_t tab = std::min(line.find('\t'), line.size());
    std::string_view hash = line.substr(0, tab);
    std::string_view name = line.substr(std::min(tab + 1, line.size()));
    if (!is_whole_hash(hash) || name.empty()) {
      return fail(ErrorCode::corrupt, "git's list of refs cannot be read");
    }
    for (std::string_view kind : {"refs/heads/", "refs/tags/"}) {
      name.remove_prefix(name.starts_with(kind) ? kind.size() : 0);
    }
    if (name.ends_with("^{}")) {
      name.remove_suffix(3);
      if (!refs.empty() && refs.back().name == name) {
        refs.back().hash = hash;
      }
      continue;
    }
    refs.push_back({std::string(name), std::string(hash)});
  }
  return refs;
}

Result<void> check_remote_ref(std::string_view ref) {
  TRY(git::check_ref(ref));
  if (ref.find_first_of("~^:?*[\\") != std::string_view::npos || ref.find("..") != ref.npos
      || ref.find("@{") != ref.npos || ref.starts_with('/') || ref.ends_with('/')) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(utf8_prefix(ref, 100)) + " is no git ref",
                "a branch, a tag or a commit");
  }
  return {};
}

bool is_whole_hash(std::string_view ref) {
  return (ref.size() == 40 || ref.size() == 64) && is_hex(ref);
}

bool is_hash_prefix(std::string_view ref) {
  return ref.size() >= 7 && ref.size() < 40 && is_hex(ref);
}

std::optional<RefSplit>
split_ref(const std::vector<RemoteRef>& refs, std::string_view ref, std::string_view folder) {
  std::set<std::string_view> names;
  for (const RemoteRef& known : refs) {
    names.insert(known.name);
  }
  const std::string whole = std::string(ref) + "/" + std::string(folder);
  for (std::size_t end = whole.size(); end > ref.size(); end = whole.rfind('/', end - 1)) {
    if (names.contains(std::string_view(whole).substr(0, end))) {
      return RefSplit{whole.substr(0, end), whole.substr(std::min(end + 1, whole.size()))};
    }
  }
  return std::nullopt;
}

std::string near_refs(const std::vector<RemoteRef>& refs, std::string_view ref) {
  const std::string wanted = lower_ascii(ref);
  std::vector<std::string_view> near;
  for (const RemoteRef& known : refs) {
    const std::string name = lower_ascii(known.name);
    const bool is_part = name.size() >= k_shortest_part && wanted.find(name) != std::string::npos;
    if (is_part || name.find(wanted) != std::string::npos) {
      near.push_back(known.name);
    }
  }
  const bool are_none = near.empty();
  for (std::size_t i = 0; i < k_most_near && i < refs.size() && are_none; ++i) {
    near.push_back(refs[i].name);
  }
  std::string names;
  for (std::size_t i = 0; i < std::min(near.size(), k_most_near); ++i) {
    names += (i > 0 ? ", " : "") + in_backticks(utf8_prefix(near[i], 100));
  }
  return names;
}

} // namespace upskill::fetch
