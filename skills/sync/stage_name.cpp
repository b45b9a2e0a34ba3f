#include "skills/sync/stage_name.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <set>

namespace upskill::sync {
namespace {

// Bytes; a number has at most 20 digits, and `-old.` comes behind it.
constexpr std::size_t k_most_of_name = k_max_file_name - 20 - 5;
constexpr std::size_t k_most_cut = 3; // more, so that no code point is cut

// The digits that a name begins with.
std::string_view number_of(std::string_view staged) {
  return staged.substr(0, staged.find_first_not_of("0123456789"));
}

} // namespace

std::string_view fitting_name(std::string_view skill) {
  return utf8_prefix(skill, k_most_of_name);
}

std::string whole_name(int folder, std::string_view staged) {
  std::string_view begin = staged.substr(staged.find('.') + 1);
  if (begin.size() + k_most_cut < k_most_of_name) {
    return std::string(begin);
  }
  std::string link(number_of(staged));
  link += k_name_link;
  char buffer[k_max_file_name + 1];
  ssize_t length = ::readlinkat(folder, link.c_str(), buffer, sizeof buffer);
  std::string_view name(buffer, length < 0 ? 0 : static_cast<std::size_t>(length));
  // Nothing that others put there may lead out of the root.
  bool is_ours = name.size() <= k_max_file_name && name.starts_with(begin)
                 && name.find('/') == std::string_view::npos;
  return std::string(is_ours ? name : begin);
}

std::vector<std::string> unused_name_links(const std::string& folder) {
  UniqueFd fd(open_folder_at(AT_FDCWD, folder.c_str()));
  FolderNames names;
  if (!fd || !names.read(fd.get())) {
    return {};
  }
  std::set<std::string_view> used;
  for (const FolderNames::Name& name : names.names()) {
    if (std::string_view text = names.view(name); text.find('.') != std::string_view::npos) {
      used.insert(number_of(text));
    }
  }
  std::vector<std::string> unused;
  for (const FolderNames::Name& name : names.names()) {
    std::string_view text = names.view(name);
    std::string_view number = number_of(text);
    if (text.substr(number.size()) == k_name_link && !used.contains(number)) {
      unused.push_back(join_path(folder, text));
    }
  }
  return unused;
}

} // namespace upskill::sync
