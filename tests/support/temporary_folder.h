#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

namespace upskill::tests {

// A fresh folder of one test case: removed when the case has passed; kept, and its path printed,
// when it has failed.
class TemporaryFolder {
public:
  TemporaryFolder();

  const std::string& path() const { return m_path; }

  std::string operator/(std::string_view name) const { return m_path + "/" + std::string(name); }

private:
  std::string m_path;
};

// Whole file; fails the test case when it cannot be read or written.
std::string file_text(const std::string& path);
void put_file(const std::string& path, std::string_view text);
// Who may do what with it (of a link: with the link); fails the test case when nothing is there.
mode_t mode_of(const std::string& path);

} // namespace upskill::tests
