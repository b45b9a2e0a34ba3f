#include "skills/library/roots.h"

#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <tuple>

namespace upskill::library {
namespace {

void add_once(std::vector<std::string>& list, const std::string& value) {
  if (auto at = std::ranges::lower_bound(list, value); at == list.end() || *at != value) {
    list.insert(at, value);
  }
}

std::optional<std::string> real_path_of(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) == nullptr ? std::nullopt
                                                     : std::optional<std::string>(buffer);
}

// Where something of that path would really come to lie: links of the part that exists resolved.
std::string future_real_path(const std::string& path) {
  std::string rest;
  for (std::string part = path; part != "/"; part = parent_path(part)) {
    if (auto real = real_path_of(part)) {
      return join_path(*real, rest);
    }
    rest = join_path(base_name(part), rest);
  }
  return "/" + rest;
}

std::string folder_or_self(const std::string& path) {
  return path.empty() ? path : future_real_path(path);
}

bool is_link(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

void refuse(Root& root, std::string reason) {
  if (root.state != RootState::refused) {
    root.state = RootState::refused;
    root.reason = std::move(reason);
  }
}

// Looks at the folder itself.
void look(Root& root) {
  struct stat status {};

  if (::stat(root.path.c_str(), &status) != 0) {
    int error = errno;
    root.real_path = future_real_path(root.path);
    if (error == ELOOP) {
      refuse(root, in_backticks(root.path) + " is a link that leads in a circle");
    } else if (error == ENOTDIR) {
      refuse(root, in_backticks(root.path) + " lies below something that is not a folder");
    } else if (error != ENOENT) {
      refuse(root, in_backticks(root.path) + " cannot be looked at: " + std::strerror(error));
    } else if (is_link(root.path)) {
      refuse(root, in_backticks(root.path) + " is a link that leads nowhere");
    } else {
      root.state = RootState::absent;
    }
    return;
  }
  auto real = real_path_of(root.path);
  root.real_path = real.value_or(root.path);
  if (!real) {
    refuse(root, in_backticks(root.path) + " cannot be resolved: " + std::strerror(errno));
  } else if (!S_ISDIR(status.st_mode)) {
    refuse(root, in_backticks(root.path) + " is not a folder");
  } else {
    root.device = status.st_dev;
    root.inode = status.st_ino;
  }
}

bool same_place(const Root& a, const Root& b) {
  return a.exists() && b.exists() ? a.device == b.device && a.inode == b.inode
                                  : a.exists() == b.exists() && a.real_path == b.real_path;
}

bool same_scope(const Root& a, const Root& b) {
  return a.scope == b.scope && a.project == b.project;
}

// `/`, home, the projects, and what holds them are no folders of skills.
void refuse_holders(Root& root, const std::vector<std::string>& holders) {
  for (const std::string& holder : holders) {
    if (is_inside(holder, root.real_path)) {
      refuse(root,
             in_backticks(root.path) + " leads to " + in_backticks(root.real_path) + ", which "
                 + (holder == root.real_path ? "is no folder of skills"
                                             : "holds " + in_backticks(holder)));
    }
  }
}

void refuse_escape(Root& root) {
  if (root.scope == Scope::project && !is_inside(root.real_path, folder_or_self(root.project))) {
    refuse(root,
           in_backticks(root.path) + " leads outside the project, to "
               + in_backticks(root.real_path));
  }
}

void refuse_nested(std::vector<Root>& roots) {
  for (Root& outer : roots) {
    for (Root& inner : roots) {
      bool usable = outer.state != RootState::refused && inner.state != RootState::refused;
      if (&outer == &inner || !usable || !is_inside(inner.real_path, outer.real_path)) {
        continue;
      }
      bool outer_goes =
          outer.scope != inner.scope ? outer.scope == Scope::project : outer.link && !inner.link;
      if (outer_goes) {
        refuse(outer,
               in_backticks(outer.path) + " leads to " + in_backticks(outer.real_path)
                   + ", which holds the root " + in_backticks(inner.path));
      } else {
        refuse(inner,
               in_backticks(inner.path) + " lies inside the root " + in_backticks(outer.path));
      }
    }
  }
}

int rank(const Root& root) {
  if (root.path.ends_with("/.agents/skills")) {
    return 0;
  }
  return root.path.ends_with("/.claude/skills") ? 1 : 2;
}

enum class Use { reads, legacy, administered };

class Discovery {
public:
  explicit Discovery(const std::string& home)
      : m_home(home)
      , m_real_home(folder_or_self(home)) {}

  void add(const AgentFolders& folders) {
    Scope scope = folders.scope;
    std::string project = scope == Scope::user ? std::string() : folders.project;
    if (scope == Scope::project) {
      std::string real = folder_or_self(project);
      if (real == m_real_home) {
        scope = Scope::user;
        project.clear();
      } else {
        add_once(m_projects, real);
      }
    }
    auto add_all = [&](const std::vector<std::string>& paths, Use use) {
      for (const std::string& path : paths) {
        add_path(folders, scope, project, path, use);
      }
    };
    add_all(folders.roots.reads, Use::reads);
    add_all(folders.roots.legacy, Use::legacy);
    add_all(folders.roots.administered, Use::administered);
  }

  std::vector<Root> finish() {
    for (Root& root : m_roots) {
      refuse_escape(root);
      refuse_holders(root, {"/", m_real_home});
      if (root.scope == Scope::project) {
        refuse_holders(root, m_projects);
      }
    }
    for (Root& root : m_roots) {
      for (const Root& other : m_roots) {
        if (root.scope == Scope::project && !same_scope(root, other) && same_place(root, other)) {
          refuse(root, in_backticks(root.path) + " is also the root " + in_backticks(other.path));
        }
      }
    }
    refuse_nested(m_roots);
    std::ranges::sort(m_roots, [](const Root& a, const Root& b) {
      return std::tuple(a.scope, std::string_view(a.project), rank(a), std::string_view(a.path))
             < std::tuple(b.scope, std::string_view(b.project), rank(b), std::string_view(b.path));
    });
    return std::move(m_roots);
  }

private:
  void add_path(const AgentFolders& folders,
                Scope scope,
                const std::string& project,
                const std::string& path,
                Use use) {
    Root found;
    found.path = path;
    found.scope = scope;
    found.project = project;
    look(found);
    if (use != Use::reads && !found.exists()) {
      return;
    }
    found.link = found.real_path != unlinked(path, project);
    auto at = std::ranges::find_if(m_roots, [&](const Root& root) {
      return same_scope(root, found) && same_place(root, found);
    });
    if (at == m_roots.end()) {
      at = m_roots.insert(m_roots.end(), std::move(found));
    } else if (at->path != path) {
      merge_path(*at, found);
    }
    if (use == Use::administered) {
      at->is_administered = true;
      refuse(*at, in_backticks(path) + " belongs to an administrator");
    }
    if (use != Use::legacy) {
      add_once(at->readers, folders.agent);
      if (folders.follows_links) {
        add_once(at->link_readers, folders.agent);
      }
    }
    if (use == Use::reads && path == folders.roots.writes) {
      add_once(at->writers, folders.agent);
    }
    for (const std::string& name : folders.never_touch) {
      add_once(at->never_touch, name);
    }
  }

  // What the path's real one is where nothing below the home or the project is a link.
  std::string unlinked(const std::string& path, const std::string& project) const {
    const std::string& base = project.empty() ? m_home : project;
    const std::string real_base = project.empty() ? m_real_home : folder_or_self(project);
    return is_inside(path, base) && base != "/" ? real_base + path.substr(base.size()) : path;
  }

  // The path that is no link is the one to be shown.
  static void merge_path(Root& root, const Root& found) {
    if (root.link && !found.link) {
      add_once(root.aliases, root.path);
      std::erase(root.aliases, found.path);
      root.path = found.path;
      root.link = false;
    } else {
      add_once(root.aliases, found.path);
    }
  }

  std::string m_home;
  std::string m_real_home;
  std::vector<std::string> m_projects;
  std::vector<Root> m_roots;
};

} // namespace

std::vector<AgentFolders> folders_of(const agents::Agent& agent, const agents::Setting& setting) {
  bool follows = agent.loader.follows_links == agents::FollowsLinks::yes;
  std::vector<AgentFolders> folders;
  folders.push_back({agent.id,
                     Scope::user,
                     {},
                     agents::resolve(agent, Scope::user, setting),
                     follows,
                     agent.never_touch});
  if (!setting.project.empty()) {
    folders.push_back({agent.id,
                       Scope::project,
                       setting.project,
                       agents::resolve(agent, Scope::project, setting),
                       follows,
                       agent.never_touch});
  }
  return folders;
}

std::vector<Root> discover_roots(std::span<const AgentFolders> folders, const std::string& home) {
  Discovery discovery(home);
  for (const AgentFolders& one : folders) {
    discovery.add(one);
  }
  return discovery.finish();
}

const Root* find_root(std::span<const Root> roots, std::string_view path) {
  for (const Root& root : roots) {
    if (root.path == path || std::ranges::find(root.aliases, path) != root.aliases.end()) {
      return &root;
    }
  }
  return nullptr;
}

} // namespace upskill::library
