#pragma once
#include "skills/danger/file_view.h"
#include "skills/danger/finding.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::danger {

inline constexpr std::size_t k_most_of_a_kind = 20; // findings of one id and severity in one file

// What a check finds, wherever it is.
struct Danger {
  std::string_view id;
  Severity severity = Severity::note;
  std::string_view message;
  std::string_view hint;
};

// Gathers findings within their bounds: what is less severe never crowds out what is more.
// Owner: scan(). Thread: one.
class Findings {
public:
  // What follows is about this file; the ids given from here on live until the next call.
  void begin_file();

  // The text from `begin` to `end` of a file.
  void add(const FileView& view, const Danger& danger, std::size_t begin, std::size_t end);

  // At a place of a file, with evidence in other words.
  void
  add_quoting(const FileView& view, const Danger& danger, std::size_t at, std::string evidence);

  // A file as a whole; `evidence` is cleaned here.
  void add_file(std::string_view path, const Danger& danger, std::string_view evidence);

  void leave_out(std::size_t count) { m_left_out += count; }

  DangerReport report();

private:
  bool has_room(const Danger& danger);
  void keep(const Danger& danger, std::string_view path, LineAndColumn place, std::string evidence);

  std::array<std::vector<Finding>, 3> m_found = {}; // by severity
  std::map<std::pair<std::string_view, Severity>, std::size_t> m_of_a_kind = {};
  std::size_t m_left_out = 0;
};

} // namespace upskill::danger
