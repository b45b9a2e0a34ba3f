#include "daemon/fetch/git_fetch.h"

#include "daemon/await.h"
#include "daemon/fetch/found.h"
#include "daemon/fetch/git_clone.h"
#include "daemon/fetch/git_remote.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/discover.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr std::string_view k_lfs_pointer = "version https://git-lfs.github.com/spec/v1\n";
constexpr std::size_t k_longest_pointer = 1024; // bytes (git-lfs, docs/spec.md)
constexpr std::size_t k_most_looked_at = 1000;  // small files

// What a source is called, and what its skill is called that lies at its root without a name.
std::string base_of(const install::Source& source) {
  std::string_view name = source.name.empty() ? source.address : source.name;
  while (name.ends_with('/')) {
    name.remove_suffix(1);
  }
  if (name.ends_with(".git")) {
    name.remove_suffix(4);
  }
  return std::string(name.substr(name.find_last_of("/:") + 1));
}

Result<sandbox::PrivateFolder> make_folder(const std::string& scratch) {
  TRY(make_directories(scratch, 0700));
  TRY_ASSIGN(sandbox::PrivateFolder folder, sandbox::PrivateFolder::make(scratch));
  TRY(make_directories(join_path(folder.path(), "files"), 0700));
  return folder;
}

using Folders = std::unordered_set<std::string_view>;

// Each folder above the path is looked for: of 10,000 skills with 100,000 files none is compared
// with each of the others.
bool is_in_a_skill(std::string_view path, const Folders& skills) {
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos;
       slash = path.rfind('/')) {
    path = path.substr(0, slash);
    if (skills.contains(path)) {
      return true;
    }
  }
  return skills.contains("");
}

std::string and_more(std::size_t count) {
  return count > 1 ? " and " + std::to_string(count - 1) + " more" : "";
}

// What lies elsewhere, and is not fetched with the repository.
std::vector<std::string> missing_parts(const std::string& files,
                                       const std::vector<git::TreeEntry>& entries,
                                       const std::vector<install::FoundSkill>& skills) {
  Folders folders;
  for (const install::FoundSkill& skill : skills) {
    folders.insert(skill.folder);
  }
  std::vector<std::string> modules;
  std::vector<std::string> pointers;
  std::size_t looked_at = 0;
  for (const git::TreeEntry& entry : entries) {
    const bool is_module = entry.kind == git::EntryKind::submodule;
    const bool may_point = entry.kind == git::EntryKind::file && entry.bytes > k_lfs_pointer.size()
                           && entry.bytes <= k_longest_pointer;
    if ((!is_module && !may_point) || !is_in_a_skill(entry.path, folders)) {
      continue;
    }
    if (is_module) {
      modules.push_back(entry.path);
    } else if (++looked_at <= k_most_looked_at) {
      Result<std::string> bytes = read_file(join_path(files, entry.path), k_longest_pointer);
      if (bytes && bytes->starts_with(k_lfs_pointer)) {
        pointers.push_back(entry.path);
      }
    }
  }
  std::vector<std::string> warnings;
  if (!modules.empty()) {
    warnings.push_back(in_backticks(modules.front()) + and_more(modules.size())
                       + " is a submodule: it was not fetched");
  }
  if (!pointers.empty()) {
    warnings.push_back(in_backticks(pointers.front()) + and_more(pointers.size())
                       + " is kept in git LFS: only the pointer to it was fetched");
  }
  return warnings;
}

// The skills that lie there, with git's hashes. Blocks.
Result<void> take_skills(Offer& offer,
                         const GitClone& clone,
                         const std::vector<git::TreeEntry>& entries,
                         const std::string& root_tree,
                         install::Depth depth) {
  const std::string files = join_path(offer.fetched->path(), "files");
  TRY_ASSIGN(install::Discovery found,
             install::discover(files, clone.folder, base_of(offer.source), depth));
  if (found.skills.empty()) {
    return fail(ErrorCode::not_found,
                in_backticks(offer.source.name) + " has no skills"
                    + (clone.folder.empty() ? "" : " in " + in_backticks(clone.folder)),
                "a skill is a folder with a SKILL.md");
  }
  std::map<std::string_view, std::string_view> trees;
  for (const git::TreeEntry& entry : entries) {
    if (entry.kind == git::EntryKind::folder) {
      trees.emplace(entry.path, entry.hash);
    }
  }
  trees.emplace("", root_tree);
  offer.warnings = std::move(found.warnings);
  for (std::string& warning : missing_parts(files, entries, found.skills)) {
    offer.warnings.push_back(std::move(warning));
  }
  for (install::FoundSkill& skill : found.skills) {
    Offered offered;
    auto tree = trees.find(skill.folder);
    offered.tree = tree == trees.end() ? std::string() : std::string(tree->second);
    offered.folder = skill.folder.empty() ? files : join_path(files, skill.folder);
    offered.name = std::move(skill.name);
    offered.description = std::move(skill.description);
    offered.from = std::move(skill.folder);
    offer.skills.push_back(std::move(offered));
  }
  // Only the files are offered. What cannot be removed now goes with the folder.
  std::error_code ignored;
  std::filesystem::remove_all(clone.repository, ignored);
  return {};
}

} // namespace

asio::awaitable<Result<Offer>> look_at_git(models::Http& http,
                                           std::string scratch,
                                           install::Source source,
                                           FetchSetting setting,
                                           runtime::Pool::Share pool) {
  auto make = [&] { return make_folder(scratch); };
  AWAIT(Result<sandbox::PrivateFolder> folder, runtime::offload(pool, std::move(make)));
  CO_TRY(folder);
  Offer offer;
  RemovedUnlessOffered guard(offer, pool);
  offer.source = std::move(source);
  offer.fetched = std::move(*folder);
  const std::string path = offer.fetched->path();
  const std::string name = offer.source.name.empty() ? offer.source.address : offer.source.name;
  setting.progress("fetching " + name);
  AWAIT(Result<GitRemote> remote,
        GitRemote::reach(http, offer.source.address, name, path, setting));
  CO_TRY(remote);
  AWAIT(Result<GitClone> clone,
        clone_commit(*remote, join_path(path, "git"), offer.source.ref, offer.source.folder));
  CO_TRY(clone);
  AWAIT(Result<std::vector<git::TreeEntry>> entries, entries_of(*remote, *clone));
  CO_TRY(entries);
  AWAIT(Result<void> done, check_out(*remote, *clone, *entries, join_path(path, "files"), pool));
  CO_TRY(done);
  std::vector<std::string> words{"rev-parse", "--verify", clone->commit + "^{tree}"};
  AWAIT(Result<std::string> tree, remote->tell(std::move(words), GitPlace{clone->repository, {}}));
  CO_TRY(tree);
  CO_TRY_ASSIGN(std::string root_tree, git::read_hash(*tree));
  setting.progress("reading " + name);
  auto take = [&] { return take_skills(offer, *clone, *entries, root_tree, setting.depth); };
  AWAIT(done, runtime::offload(pool, std::move(take)));
  CO_TRY(done);
  if (remote->url().starts_with("git://")) {
    offer.warnings.push_back(in_backticks(name)
                             + " came over `git://`, where anyone on the way can change it");
  }
  // Of a ref with a slash in its name, some of it was taken for the folder.
  if (!offer.source.ref.empty()) {
    offer.source.ref = clone->ref;
  }
  offer.source.folder = clone->folder;
  offer.ref = std::move(clone->ref);
  offer.commit = std::move(clone->commit);
  co_return offer;
}

} // namespace upskill::fetch
