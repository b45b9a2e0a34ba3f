#pragma once
#include "skills/store/objects.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace store_test {

struct File {
  upskill::store::ObjectKind kind = upskill::store::ObjectKind::file;
  std::string bytes = {};
  std::string target = {};

  friend bool operator==(const File&, const File&) = default;
};

// A version of a skill in memory, by path.
struct Version {
  std::map<std::string, File> files = {};

  void add(const std::string& path,
           upskill::store::ObjectKind kind,
           std::string bytes = {},
           std::string target = {}) {
    files[path] = {kind, std::move(bytes), std::move(target)};
  }

  // Views of this version.
  std::vector<upskill::store::ObjectEntry> entries() const {
    std::vector<upskill::store::ObjectEntry> entries;
    for (const auto& [path, file] : files) {
      upskill::store::ObjectEntry entry{.path = path, .kind = file.kind, .target = file.target};
      if (file.kind == upskill::store::ObjectKind::file
          || file.kind == upskill::store::ObjectKind::executable) {
        entry.size = file.bytes.size();
        entry.bytes = file.bytes;
        entry.content = upskill::sha256(file.bytes);
      }
      entries.push_back(entry);
    }
    return entries;
  }

  // Any name that differs where the content does will do.
  upskill::Digest hash() const {
    upskill::Sha256 sha;
    for (const auto& [path, file] : files) {
      sha.update_framed(path);
      sha.update_number(static_cast<std::uint64_t>(file.kind));
      sha.update_framed(file.bytes);
      sha.update_framed(file.target);
    }
    return sha.finish();
  }
};

inline upskill::store::Objects open_objects(const std::string& folder) {
  auto objects = upskill::store::Objects::open(folder);
  REQUIRE_MESSAGE(objects.has_value(), (objects ? "" : objects.error().message));
  return std::move(*objects);
}

inline std::map<std::string, File> read_back(const upskill::store::Objects& objects,
                                             const upskill::Digest& hash) {
  std::map<std::string, File> files;
  auto reader = objects.open_object(hash);
  REQUIRE(reader);
  for (;;) {
    auto member = reader->next();
    REQUIRE_MESSAGE(member.has_value(), (member ? "" : member.error().message));
    if (!*member) {
      return files;
    }
    auto bytes = reader->bytes();
    REQUIRE(bytes);
    files[(*member)->path] = {(*member)->kind, *bytes, (*member)->target};
  }
}

inline Version small_version() {
  using upskill::store::ObjectKind;
  Version version;
  version.add("SKILL.md", ObjectKind::file, "# a skill\n");
  version.add("empty", ObjectKind::file);
  version.add("link", ObjectKind::link, {}, "scripts/run");
  version.add("scripts", ObjectKind::folder);
  version.add("scripts/run", ObjectKind::executable, "#!/bin/sh\n");
  return version;
}

// Odd names (line feeds, bytes that are no UTF-8, 255 bytes), odd sizes, folders in folders.
inline Version random_version(unsigned seed) {
  using upskill::store::ObjectKind;
  std::mt19937 random(seed);
  auto one_of = [&](auto&&... values) {
    std::vector<std::common_type_t<std::decay_t<decltype(values)>...>> all{values...};
    return all[random() % all.size()];
  };
  auto name = [&]() -> std::string {
    std::string text = "f" + std::to_string(random() % 1000);
    switch (random() % 8) {
    case 0:
      return text + "\n-" + text;
    case 1:
      return text + "\xFF\xC3(";
    case 2:
      return text + std::string(255 - text.size(), 'n');
    case 3:
      return text + "\xC3\xA4 ' \" \\ *";
    default:
      return text;
    }
  };
  Version version;
  version.add("SKILL.md", ObjectKind::file, "x");
  std::vector<std::string> folders{""};
  for (unsigned i = random() % 40; i > 0; --i) {
    std::string path = folders[random() % folders.size()] + name();
    if (version.files.contains(path)) {
      continue;
    }
    switch (random() % 6) {
    case 0:
      version.add(path, ObjectKind::folder);
      // tar programs have a limit of 4,096 bytes to a path.
      if (path.size() < 3000) {
        folders.push_back(path + "/");
      }
      break;
    case 1:
      version.add(path, ObjectKind::link, {}, name());
      break;
    default:
      version.add(
          path,
          one_of(ObjectKind::file, ObjectKind::executable),
          std::string(one_of(0u, 1u, 511u, 512u, 513u, 70'000u), static_cast<char>(random())));
    }
  }
  return version;
}

} // namespace store_test
