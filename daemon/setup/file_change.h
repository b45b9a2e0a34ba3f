#pragma once
#include "daemon/setup/config_file.h"
#include "daemon/setup/record.h"
#include "protocol/base/paths.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::setup {

// What is to become of one file: looked at, worked out, shown, done. All of it blocks.
struct FileChange {
  ConfigFile file;
  std::string boundary;
  std::optional<std::string> after = {}; // nothing: it goes
  bool is_change = false;
  std::vector<EntryRow> entries = {}; // that our part of it comes to
  std::string without_us = {};        // what it is without them, where there is a file then
  bool is_made = false;               // without us there is none
  std::string project = {};
  SetupStep step = {};                // of the change
  std::vector<SetupStep> others = {}; // what stays, and what failed

  // By which a plan names it: path, bytes before and after.
  std::string plan_key() const;
};

// With these entries in it. `project` is empty for the user's own.
FileChange plan_entries(const std::string& path,
                        const std::string& boundary,
                        const std::string& project,
                        std::vector<EntryRow> wanted,
                        Record& record);

// Without those of these agents, or without all where none is named.
FileChange plan_removal(const FileRow& row,
                        const std::string& boundary,
                        const std::vector<std::string>& agents);

// Does it: the file as it was is kept, the record says what is to come, and then the file is
// written. `record` and its file follow. What fails is told in the change's step.
void carry_out(FileChange& change, Record& record, const Places& places);

std::string record_path(const Places& places);

} // namespace upskill::setup
