#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "skills/install/unpack.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace upskill::install {

// Where an archive is unpacked: a folder of ours, which nothing leads out of, whatever the archive
// says. Paths come as archives have them. Limits count what is written, never what was promised.
// Owner: a call. Thread: one at a time. Blocks.
class UnpackTarget {
public:
  // `into`: absolute, there, empty. Errors: io.
  static Result<UnpackTarget> open(const std::string& into, const UnpackLimits& limits);

  Result<void> add_folder(std::string_view path);
  // A relative link that ends inside. A link is made and never followed.
  Result<void> add_link(std::string_view path, std::string_view target);
  // Then the pieces of it with write(), then end_file().
  Result<void> begin_file(std::string_view path, bool is_program);
  Result<void> write(std::string_view bytes);
  Result<void> end_file();

private:
  UnpackTarget(UniqueFd folder, const UnpackLimits& limits);

  Result<bool> note(const std::string& path, bool is_folder);
  Result<UniqueFd> parent_of(const std::string& path);

  UniqueFd m_folder;
  UnpackLimits m_limits;
  std::unordered_map<std::string, std::string> m_known; // as they are spelled, by folded path
  std::unordered_set<std::string> m_folders;            // of these, as they are spelled
  UniqueFd m_file;                                      // that is written; none: it is left out
  std::string m_file_path;
  std::uint64_t m_file_bytes = 0;
  std::uint64_t m_bytes = 0;
};

} // namespace upskill::install
