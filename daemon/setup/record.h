#pragma once
#include "protocol/base/result.h"
#include "protocol/types/setup.h"
#include "skills/agent_config/edit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace upskill::setup {

// One entry that was written into a file.
struct EntryRow {
  static constexpr bool k_lenient = true;
  std::string agent; // id of the connection
  SetupPart part = SetupPart::mcp;
  bool is_toml = false;
  std::vector<std::string> parents = {};
  std::string key = {};
  bool is_element = false;
  std::string value;
  std::int64_t made = 0;
  std::string was = {};

  agent_config::Form form() const {
    return is_toml ? agent_config::Form::toml : agent_config::Form::json;
  }

  agent_config::EntryPlace place() const { return {parents, key, is_element}; }

  agent_config::EntryTrace trace() const { return {static_cast<int>(made), was}; }

  static void describe(auto& f) {
    f.required(&EntryRow::agent, "agent", "Whose it is.");
    f.required(&EntryRow::part, "part", "What it is about.");
    f.optional(&EntryRow::is_toml, "toml", "The form of its file.");
    f.optional(&EntryRow::parents, "parents", "The containers around it.");
    f.optional(&EntryRow::key, "key", "Its name.");
    f.optional(&EntryRow::is_element, "element", "Whether it is an element of a list.");
    f.required(&EntryRow::value, "value", "What was written, as JSON.");
    f.optional(&EntryRow::made, "made", "Containers that were made for it.");
    f.optional(&EntryRow::was, "was", "What must come back.");
  }
};

// One file that was edited or made.
struct FileRow {
  static constexpr bool k_lenient = true;
  std::string path; // where it really is
  std::string project = {};
  bool is_made = false;
  std::string after;                     // hash of what was written
  std::string backup = {};               // what it was without us; empty where it was made
  std::vector<std::string> folders = {}; // that were made for it, the outermost first
  std::vector<EntryRow> entries = {};

  static void describe(auto& f) {
    f.required(&FileRow::path, "path", "Where it really is.");
    f.optional(&FileRow::project, "project", "Its project; absent for the user's.");
    f.optional(&FileRow::is_made, "made", "Whether there was none.");
    f.required(&FileRow::after, "after", "Hash of what was written.");
    f.optional(&FileRow::backup, "backup", "What it was before.");
    f.optional(&FileRow::folders, "folders", "Folders that were made for it.");
    f.optional(&FileRow::entries, "entries", "What was written into it.");
  }
};

// What setup has written, `setup.json` among what is the user's: all that `--remove` goes by.
struct Record {
  static constexpr bool k_lenient = true;
  std::vector<FileRow> files = {};
  std::vector<std::string> capture = {}; // agents whose sessions it had kept
  std::string skill = {};                // hash of the version that it placed
  bool sync = false;                     // it switched sync on
  std::string unit = {};                 // path of the unit that it wrote and enabled
  std::string unit_hash = {};
  std::vector<std::string> unit_folders = {}; // that were made for it, the outermost first

  bool is_empty() const {
    return files.empty() && capture.empty() && skill.empty() && !sync && unit.empty();
  }

  static void describe(auto& f) {
    f.optional(&Record::files, "files", "Edited and made.");
    f.optional(&Record::capture, "capture", "Agents whose sessions are kept since.");
    f.optional(&Record::skill, "skill", "Hash of the skill about us.");
    f.optional(&Record::sync, "sync", "Whether sync was switched on.");
    f.optional(&Record::unit, "unit", "The unit for systemd.");
    f.optional(&Record::unit_hash, "unit_hash", "Hash of it.");
    f.optional(&Record::unit_folders, "unit_folders", "Folders that were made for it.");
  }

  FileRow* find(const std::string& path);
};

// Both block. An empty one where there is none. Errors: corrupt, and as of the file.
Result<Record> load_record(const std::string& path);
// One with nothing in it goes.
Result<void> save_record(const std::string& path, const Record& record);

} // namespace upskill::setup
