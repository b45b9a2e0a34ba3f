#include "skills/install/plugin_manifest.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/install/json_tree.h"
#include "skills/install/source_parts.h"
#include "skills/library/beneath.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>

namespace upskill::install {
namespace {

constexpr std::size_t k_max_manifest = 1u << 20; // bytes
constexpr std::size_t k_most_plugins = 1000;
constexpr std::size_t k_most_folders = 10'000;

// Owner, thread and lifetime: a call of plugin_folders().
class Manifests {
public:
  Manifests(int folder, std::vector<std::string>& warnings)
      : m_folder(folder)
      , m_warnings(warnings) {}

  void read_marketplace() {
    std::optional<JsonTree> root = read(".claude-plugin/marketplace.json");
    const JsonTree* plugins = root ? root->find("plugins") : nullptr;
    if (plugins == nullptr) {
      return;
    }
    const JsonTree* metadata = root->find("metadata");
    std::string_view plugin_root = metadata != nullptr ? metadata->text_of("pluginRoot") : "";
    for (std::size_t at = 0; at < plugins->items.size() && at < k_most_plugins; ++at) {
      const JsonTree& plugin = plugins->items[at];
      const JsonTree* source = plugin.find("source");
      if (source != nullptr && !source->is_string()) {
        continue; // it lies in another repository
      }
      std::optional<std::string> place =
          inside(plugin_root, source != nullptr ? std::string_view(source->text) : "");
      if (place) {
        add_skills(*place, plugin.find("skills"));
      }
      if (place && m_plugins.insert(*place).second) {
        read_plugin(*place);
      }
    }
  }

  // The plugin in a folder; empty: the folder itself.
  void read_plugin(const std::string& place) {
    std::optional<JsonTree> root = read(join(place, ".claude-plugin/plugin.json"));
    if (root) {
      add_skills(place, root->find("skills"));
    }
  }

  std::vector<std::string> folders = {};

private:
  static std::string join(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : join_path(folder, name);
  }

  // Nothing for what leads out.
  static std::optional<std::string> inside(std::string_view folder, std::string_view path) {
    if (folder.starts_with('/') || path.starts_with('/')) {
      return std::nullopt;
    }
    Result<std::string> place = inner_folder(std::string(folder) + "/" + std::string(path));
    return place ? std::optional<std::string>(std::move(*place)) : std::nullopt;
  }

  void add(const std::optional<std::string>& place) {
    if (place && folders.size() < k_most_folders && m_taken.insert(*place).second) {
      folders.push_back(*place);
    }
  }

  void add_skills(const std::string& place, const JsonTree* skills) {
    add(join(place, "skills")); // whatever else is named
    if (skills == nullptr) {
      return;
    }
    if (skills->is_string()) {
      add(inside(place, skills->text));
    }
    for (const JsonTree& skill : skills->items) {
      if (skill.is_string()) {
        add(inside(place, skill.text));
      }
    }
  }

  std::optional<JsonTree> read(const std::string& path) {
    UniqueFd file = library::open_beneath(m_folder, path.c_str(), O_RDONLY);
    if (!file) {
      return std::nullopt;
    }
    std::string bytes(k_max_manifest + 1, '\0');
    std::size_t used = 0;
    for (ssize_t got = 1; got != 0 && used < bytes.size();) {
      got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
      if (got < 0 && errno != EINTR) {
        return std::nullopt;
      }
      used += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    bytes.resize(used);
    Result<JsonTree> tree = read_json(bytes, "`" + path + "`", k_max_manifest);
    if (!tree) {
      m_warnings.push_back(tree.error().message + "; its skills are not looked for");
      return std::nullopt;
    }
    return std::move(*tree);
  }

  int m_folder;
  std::vector<std::string>& m_warnings;
  std::set<std::string> m_plugins = {}; // whose own files were read
  std::set<std::string> m_taken = {};   // `folders`: a marketplace has hundreds of plugins in one
};

} // namespace

std::vector<std::string> plugin_folders(int folder, std::vector<std::string>& warnings) {
  Manifests manifests(folder, warnings);
  manifests.read_marketplace();
  manifests.read_plugin({});
  return std::move(manifests.folders);
}

} // namespace upskill::install
