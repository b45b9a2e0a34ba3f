#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace upskill::bench {

// The floor of an edit: a process that watches the skills of the first root and, when a file of one
// was closed or renamed, copies the skill beside every other root and swaps the folders. It checks,
// keeps and syncs nothing.
class PlainMirror {
public:
  explicit PlainMirror(const std::vector<std::string>& roots);
  PlainMirror(const PlainMirror&) = delete;
  PlainMirror& operator=(const PlainMirror&) = delete;
  ~PlainMirror();

private:
  pid_t m_child = -1;
};

} // namespace upskill::bench
