#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::bench {

// A fresh folder, gone at the end.
class Scratch {
public:
  explicit Scratch(const std::string& parent);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::string& path() const { return m_path; }

  std::string operator/(std::string_view name) const { return m_path + "/" + std::string(name); }

private:
  std::string m_path;
};

// `count` skills `skill-00000`...: a SKILL.md of 3 KB and three files of 1 KB, all different.
void make_skills(const std::string& root, std::size_t count);
std::string skill_name(std::size_t number);

// Creates or truncates.
void write_text(const std::string& path, std::string_view text);
// The way editors save: a new file beside it, renamed over it.
void save_text(const std::string& path, std::string_view text);
void make_folders(const std::string& path);
void remove_all(const std::string& path);

// Everything written so far is on the disk, so that the next measurement does not pay for it.
void settle_disk(const std::string& folder);

} // namespace upskill::bench
