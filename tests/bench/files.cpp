#include "tests/bench/files.h"

#include "protocol/base/unique_fd.h"
#include "tests/bench/bench.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace upskill::bench {

Scratch::Scratch(const std::string& parent) {
  std::string name = parent + "/upskill-bench-XXXXXX";
  require(::mkdtemp(name.data()) != nullptr, "cannot make a folder in `" + parent + "`");
  m_path = std::filesystem::canonical(name).string();
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

std::string skill_name(std::size_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "skill-%05zu", number);
  return name;
}

void make_skills(const std::string& root, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = skill_name(i);
    std::string folder = root + "/" + name;
    make_folders(folder);
    std::string text = "---\nname: " + name + "\ndescription: A skill to measure with.\n---\n";
    while (text.size() < 3 * 1024) {
      text += "Line of " + name + ", as long as a line usually is in a document.\n";
    }
    write_text(folder + "/SKILL.md", text);
    for (const char* file : {"one.md", "three.md", "two.md"}) {
      write_text(folder + "/" + file, (name + file + text).substr(0, 1024));
    }
  }
}

void write_text(const std::string& path, std::string_view text) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  require(fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "cannot write `" + path + "`");
}

void save_text(const std::string& path, std::string_view text) {
  std::string beside = path + ".tmp";
  write_text(beside, text);
  require(::rename(beside.c_str(), path.c_str()) == 0, "cannot rename to `" + path + "`");
}

void make_folders(const std::string& path) {
  std::filesystem::create_directories(path);
}

void remove_all(const std::string& path) {
  std::filesystem::remove_all(path);
}

void settle_disk(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::syncfs(fd.get());
}

} // namespace upskill::bench
