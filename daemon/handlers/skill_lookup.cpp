#include "daemon/handlers/skill_lookup.h"

#include "daemon/handlers/skill_files.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/library/folder.h"
#include "skills/library/names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace upskill::daemon {
namespace {

std::string in_quotes(std::string_view text) {
  return "`" + to_valid_utf8(utf8_prefix(text, 256)) + "`";
}

tl::unexpected<Error> unknown(const Catalogue& catalogue, const std::string& asked) {
  return tl::make_unexpected(unknown_skill(catalogue, asked));
}

// The folder that a path means: that of the skill where its SKILL.md is named. Empty for a relative
// path that is relative to nothing.
std::string folder_of(const std::string& asked, const std::string& cwd) {
  if (asked.empty() || asked.find('\0') != std::string::npos
      || (asked.front() != '/' && cwd.empty())) {
    return {};
  }
  std::string path = normalized_path(asked, cwd);
  std::string_view last = base_name(path);
  return last == "SKILL.md" || last == "skill.md" ? parent_path(path) : path;
}

const library::Root* root_at(const Catalogue& catalogue, const std::string& path) {
  const library::Root* root = library::find_root(catalogue.roots(), path);
  if (root == nullptr) {
    std::string real = real_path(path);
    root = real.empty() ? nullptr : library::find_root(catalogue.roots(), real);
    for (const library::Root& other : catalogue.roots()) {
      root = root == nullptr && !real.empty() && other.real_path == real ? &other : root;
    }
  }
  return root != nullptr && root->exists() && root->state != RootState::refused ? root : nullptr;
}

std::optional<std::uint32_t>
row_of(const Catalogue& catalogue, const library::Root& root, std::string_view name) {
  auto [first, last] = catalogue.find(name);
  for (std::uint32_t i = first; i < last; ++i) {
    if (catalogue.project(catalogue.row(i)) == root.project) {
      return i;
    }
  }
  return std::nullopt;
}

// What lies beside the skills of a root and is none: a root that is a repository has a `.git`.
tl::unexpected<Error> ignored(const SkillPlace& place) {
  return fail(ErrorCode::not_found, in_quotes(place.folder) + " is no skill, whatever lies in it");
}

// A link is gone after as far as another root; further would be out of what agents are to read.
Result<SkillPlace> behind_link(const Catalogue& catalogue, SkillPlace place) {
  std::string target = real_path(join_path(place.real_parent, place.name));
  const library::Root* root = target.empty() ? nullptr : root_at(catalogue, parent_path(target));
  if (root == nullptr) {
    return fail(ErrorCode::refused,
                in_quotes(place.folder) + " is a link to what is no skill of a known folder",
                "put the skill itself there, or name it by its own path");
  }
  place.name = base_name(target);
  place.real_parent = root->real_path;
  if (library::ignored_name(place.name)) {
    return ignored(place);
  }
  return place;
}

Result<SkillPlace>
at_path(const Catalogue& catalogue, const library::Root& root, const std::string& folder) {
  SkillPlace place{std::string(base_name(folder)), folder, root.real_path};
  if (library::ignored_name(place.name)) {
    return ignored(place);
  }
  place.row = row_of(catalogue, root, place.name);

  struct stat status {};

  bool is_link = ::lstat(join_path(root.real_path, place.name).c_str(), &status) == 0
                 && S_ISLNK(status.st_mode);
  return is_link ? behind_link(catalogue, std::move(place)) : place;
}

} // namespace

Error unknown_skill(const Catalogue& catalogue, const std::string& asked) {
  std::string hint;
  for (const std::string& name : catalogue.nearest(base_name(asked))) {
    hint += (hint.empty() ? "did you mean `" : "` or `") + name;
  }
  return {ErrorCode::not_found,
          in_quotes(asked) + " is no skill that is known here",
          hint.empty() ? "`skill_list` finds skills by words" : hint + "`?"};
}

std::string real_path(const std::string& path) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };

  std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
  return real ? real.get() : std::string();
}

Result<SkillPlace> place_of(const Catalogue& catalogue, std::uint32_t index) {
  const Catalogue::Row& row = catalogue.row(index);
  std::size_t which = row.newest == Catalogue::k_none ? 0 : row.newest;
  const Catalogue::Copy& copy = catalogue.copies(row)[which];
  const library::Root& root = catalogue.root(copy);
  SkillPlace place{std::string(catalogue.name(row)), {}, root.real_path, index};
  place.folder = join_path(root.path, place.name);
  if (copy.is_link != 0) {
    return behind_link(catalogue, std::move(place));
  }
  return place;
}

Result<SkillPlace>
find_skill(const Catalogue& catalogue, const std::string& asked, const std::string& cwd) {
  if (asked.find('/') == std::string::npos) {
    auto [first, last] = catalogue.find(asked);
    for (std::uint32_t i = first; i < last; ++i) {
      const std::string& project = catalogue.project(catalogue.row(i));
      if (!project.empty() && is_inside(cwd, project)) {
        return place_of(catalogue, i);
      }
    }
    return first < last ? place_of(catalogue, first) : unknown(catalogue, asked);
  }
  std::string folder = folder_of(asked, cwd);
  const library::Root* root = folder.empty() ? nullptr : root_at(catalogue, parent_path(folder));
  return root == nullptr ? unknown(catalogue, asked) : at_path(catalogue, *root, folder);
}

Result<SkillPlace>
find_skill_anywhere(const Catalogue& catalogue, const std::string& asked, const std::string& cwd) {
  Result<SkillPlace> known = find_skill(catalogue, asked, cwd);
  if (known || known.error().code != ErrorCode::not_found) {
    return known;
  }
  std::string folder = folder_of(asked, cwd);
  std::string real = folder.empty() ? std::string() : real_path(folder);
  if (real.size() < 2) {
    return known;
  }
  SkillPlace place{std::string(base_name(real)), folder, parent_path(real)};
  Result<UniqueFd> opened = open_skill(place);
  if (!opened) {
    return known;
  }
  if (document_name(opened->get()).empty()) {
    return fail(ErrorCode::not_found, in_quotes(folder) + " has no `SKILL.md`");
  }
  return place;
}

Result<std::string>
named_folder(const Catalogue& catalogue, const std::string& asked, const std::string& cwd) {
  if (asked.empty() || asked.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "an empty path names no skill");
  }

  struct stat status {};

  bool is_path = asked.front() == '/' || !cwd.empty();
  std::string path = is_path ? normalized_path(asked, cwd) : std::string();
  if (!path.empty() && ::stat(path.c_str(), &status) == 0) {
    return path;
  }
  Result<SkillPlace> known = find_skill(catalogue, asked, cwd);
  if (known) {
    return join_path(known->real_parent, known->name);
  }
  if (path.empty() || asked.find('/') == std::string::npos) {
    return fail(known.error());
  }
  return path;
}

Result<UniqueFd> open_skill(const SkillPlace& place) {
  UniqueFd parent = library::open_folder(AT_FDCWD, place.real_parent.c_str());
  UniqueFd skill = parent ? library::open_folder(parent.get(), place.name.c_str()) : UniqueFd();
  if (!skill) {
    return fail(system_error(errno, "cannot open " + in_quotes(place.folder)));
  }
  return skill;
}

} // namespace upskill::daemon
