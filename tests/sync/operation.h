#pragma once
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync_test {

// What may happen to a person's folders, to the engine and to time.
enum class Kind : std::uint8_t {
  write_skill,
  edit_skill, // one line of SKILL.md
  edit_file,  // notes.md, replaced
  add_file,   // deep in the skill
  delete_file,
  toggle_exec,
  delete_skill,
  delete_many,
  rename_skill,
  replace_folder, // rm -rf and cp -r
  link_skill,     // a link in place of the copy
  delete_link,
  root_vanishes,
  root_returns, // as it was, or as a copy of itself
  root_emptied,
  root_in_pieces, // one skill of it, after sync has seen that it was emptied
  half_write,     // SKILL.md is empty for a while
  fill,
  swap_content, // two roots' copies of one skill
  touch,
  unknown_folder,
  ignored_content,
  excluded_skill,
  case_twin,
  reserved_name,
  restart,
  lose_database,
  git_begins,
  git_ends,
  time_passes,
  run_all,
  run_touched,
  dry_run,
  policy,
  links,
  undo,
  resolve,
  accept_roots,
  slip_in,   // somebody edits right before or after the n-th swap of the next round
  late_edit, // of a skill whose deletion is about to be carried out, when another's is
  edit_displaced,
  old_copy,    // a version of long ago, or one that nobody knows, where there is no copy
  writes_fail, // from the n-th write of the next round on, for a while: no space, or not allowed
  tidy,
  kill_daemon,   // at once
  kill_in_round, // after the n-th trace of what it does about an edit, or about its start
  come_to_rest
};

inline constexpr std::array<std::string_view, 47> k_kind_names = {
    "write_skill",    "edit_skill",      "edit_file",      "add_file",     "delete_file",
    "toggle_exec",    "delete_skill",    "delete_many",    "rename_skill", "replace_folder",
    "link_skill",     "delete_link",     "root_vanishes",  "root_returns", "root_emptied",
    "root_in_pieces", "half_write",      "fill",           "swap_content", "touch",
    "unknown_folder", "ignored_content", "excluded_skill", "case_twin",    "reserved_name",
    "restart",        "lose_database",   "git_begins",     "git_ends",     "time_passes",
    "run_all",        "run_touched",     "dry_run",        "policy",       "links",
    "undo",           "resolve",         "accept_roots",   "slip_in",      "late_edit",
    "edit_displaced", "old_copy",        "writes_fail",    "tidy",         "kill_daemon",
    "kill_in_round",  "come_to_rest"};

// How often each kind comes, in the order of Kind.
using Weights = std::array<unsigned, k_kind_names.size()>;

// One operation; the numbers are taken modulo what there is, so that any list of them means
// something and can be shortened.
struct Operation {
  Kind kind = Kind::run_all;
  std::uint32_t root = 0;
  std::uint32_t other = 0;
  std::uint32_t skill = 0;
  std::uint32_t value = 0;
};

using Operations = std::vector<Operation>;

Operations random_operations(std::mt19937_64& random, int count, const Weights& weights);
// One line each: `edit_skill 1 0 2 17`; and back.
std::string text_of(const Operations& operations);
Operations operations_of(const std::string& text);

} // namespace upskill::sync_test
