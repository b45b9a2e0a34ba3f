#include "daemon/setup/file_change.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"
#include "skills/sync/unified_diff.h"

#include <algorithm>
#include <utility>

namespace upskill::setup {
namespace {

using agent_config::PutOutcome;
using agent_config::TakeOutcome;

void add_new(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) {
    list.push_back(text);
  }
}

// What some entries are, in a few words.
std::string words_for(const std::vector<EntryRow>& entries) {
  bool has_server = false;
  std::string events;
  for (const EntryRow& entry : entries) {
    has_server = has_server || entry.part == SetupPart::mcp;
    if (entry.is_element) {
      events += (events.empty() ? "" : ", ") + entry.parents.back();
    }
  }
  std::string text = has_server ? "MCP server `upskill`" : "";
  if (!events.empty()) {
    text += (text.empty() ? "hooks for " : ", hooks for ") + events;
  }
  return text;
}

SetupStep step_of(const std::vector<EntryRow>& entries, const std::string& path) {
  SetupStep step;
  step.path = path;
  step.part = entries.empty() ? SetupPart::mcp : entries.front().part;
  for (const EntryRow& entry : entries) {
    add_new(step.agents, entry.agent);
  }
  step.text = words_for(entries);
  return step;
}

SetupStep step_of(const EntryRow& entry, const std::string& path, SetupState state) {
  SetupStep step = step_of(std::vector<EntryRow>{entry}, path);
  step.state = state;
  return step;
}

bool is_same_place(const EntryRow& a, const EntryRow& b) {
  return a.agent == b.agent && a.part == b.part && a.place() == b.place();
}

// Only a mark that the file needs, and nobody misses.
bool is_mark(const EntryRow& entry) {
  return entry.key == "version";
}

// What failed is told once, however many entries it concerns.
void tell(FileChange& change, const EntryRow& entry, SetupState state, const Error& why) {
  for (SetupStep& told : change.others) {
    if (told.state == state && told.part == entry.part && told.reason == why.message) {
      add_new(told.agents, entry.agent);
      return;
    }
  }
  SetupStep step = step_of(entry, change.file.path, state);
  step.text = entry.part == SetupPart::mcp ? "MCP server `upskill`" : "hooks";
  step.reason = why.message;
  step.hint = why.hint;
  change.others.push_back(std::move(step));
}

Error in_file(Error error, const std::string& path) {
  if (error.message.find(path) == std::string::npos) {
    error.message = in_backticks(path) + ": " + error.message;
  }
  if (error.hint.empty()) {
    error.hint = "mend the file, then run the same command again";
  }
  return error;
}

void finish(FileChange& change) {
  std::string before = change.file.bytes.value_or("");
  change.is_change = change.after != change.file.bytes;
  if (change.is_change) {
    const std::string& path = change.file.path;
    change.step.diff = sync::unified_diff(before,
                                          change.after.value_or(""),
                                          change.file.bytes ? path : "/dev/null",
                                          change.after ? path : "/dev/null");
  }
}

// The text without these entries, the last one first; what somebody edited stays and is told.
std::string take_all(FileChange& change,
                     std::string text,
                     const std::vector<EntryRow>& entries,
                     std::vector<EntryRow>* left) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    Result<agent_config::TakeResult> taken =
        agent_config::take_entry(entry->form(), text, entry->place(), entry->value, entry->trace());
    if (!taken || taken->outcome == TakeOutcome::edited) {
      if (left != nullptr) {
        left->insert(left->begin(), *entry);
        if (taken) {
          tell(change,
               *entry,
               SetupState::kept,
               {ErrorCode::refused,
                "it was edited since it was written, so it stays",
                "remove it yourself, if it is not wanted"});
        } else {
          tell(change, *entry, SetupState::failed, in_file(taken.error(), change.file.path));
        }
      }
      continue;
    }
    text = std::move(taken->text);
  }
  return text;
}

// A text with these entries, anew; nothing where one of them cannot be put there.
std::optional<std::string> only_with(std::string text, std::vector<EntryRow>& entries) {
  for (EntryRow& entry : entries) {
    Result<agent_config::PutResult> put =
        agent_config::put_entry(entry.form(), text, entry.place(), entry.value);
    if (!put || put->outcome != PutOutcome::added) {
      return std::nullopt;
    }
    text = std::move(put->text);
    entry.made = put->trace.made;
    entry.was = put->trace.was;
  }
  return text;
}

// What was made for an entry that goes was made for the one that stays beside it.
void hand_over(std::vector<EntryRow>& going, std::vector<EntryRow>& staying) {
  for (EntryRow& entry : going) {
    auto heir = std::ranges::find_if(staying, [&](const EntryRow& one) {
      return !entry.is_toml && one.parents == entry.parents && one.made < entry.made;
    });
    if (heir != staying.end()) {
      heir->made = std::exchange(entry.made, 0);
      heir->was = std::exchange(entry.was, "");
    }
  }
}

} // namespace

std::string record_path(const Places& places) {
  return join_path(places.data, "setup.json");
}

std::string FileChange::plan_key() const {
  Sha256 hash;
  hash.update_framed(file.path);
  hash.update_framed(file.bytes ? "=" + *file.bytes : "");
  hash.update_framed(after ? "=" + *after : "");
  return hash.finish().brief(16);
}

FileChange plan_entries(const std::string& path,
                        const std::string& boundary,
                        const std::string& project,
                        std::vector<EntryRow> wanted,
                        Record& record) {
  FileChange change;
  change.boundary = boundary;
  change.file.path = path;
  Result<ConfigFile> file = look_at_file(path, boundary);
  if (!file) {
    for (const EntryRow& entry : wanted) {
      tell(change, entry, SetupState::failed, in_file(file.error(), path));
    }
    const FileRow* known = record.find(path);
    change.entries = known == nullptr ? std::vector<EntryRow>() : known->entries;
    return change;
  }
  change.file = std::move(*file);
  if (!change.file.bytes && !project.empty()) {
    change.file.mode = 0644; // others work there, too
  }
  change.project = project;
  const FileRow* row = record.find(change.file.path);
  std::string text = change.file.bytes.value_or("");
  bool is_as_written = row != nullptr && change.file.bytes && sha256(text).hex() == row->after;
  change.entries = row == nullptr ? std::vector<EntryRow>() : row->entries;
  change.is_made = row == nullptr ? !change.file.bytes : row->is_made;
  if (row != nullptr && is_as_written && !row->is_made) {
    Result<std::string> backup = read_file(row->backup, 8u << 20);
    change.without_us = backup ? *backup : take_all(change, text, row->entries, nullptr);
  } else if (row != nullptr) {
    change.without_us = take_all(change, text, row->entries, nullptr);
  } else {
    change.without_us = text;
  }
  std::vector<EntryRow> added;
  for (EntryRow& entry : wanted) {
    // What an earlier setup wrote there, with another program, say, makes room.
    auto old = std::ranges::find_if(
        change.entries, [&](const EntryRow& known) { return is_same_place(known, entry); });
    if (old != change.entries.end() && old->value != entry.value) {
      Result<agent_config::TakeResult> taken =
          agent_config::take_entry(old->form(), text, old->place(), old->value, old->trace());
      if (taken && taken->outcome != TakeOutcome::edited) {
        text = std::move(taken->text);
        change.entries.erase(old);
      }
    }
    Result<agent_config::PutResult> put =
        agent_config::put_entry(entry.form(), text, entry.place(), entry.value);
    if (!put) {
      tell(change, entry, SetupState::failed, in_file(put.error(), change.file.path));
      continue;
    }
    if (put->outcome == PutOutcome::foreign && !is_mark(entry)) {
      tell(change,
           entry,
           SetupState::kept,
           {ErrorCode::already_exists,
            "an entry `upskill` that is not ours stands there, and stays",
            "remove it, then run `upskill setup` again"});
    }
    if (put->outcome != PutOutcome::added) {
      continue;
    }
    text = std::move(put->text);
    entry.made = put->trace.made;
    entry.was = put->trace.was;
    std::erase_if(change.entries, [&](const EntryRow& known) {
      return is_same_place(known, entry) && known.value == entry.value; // somebody took it out
    });
    change.entries.push_back(entry);
    added.push_back(entry);
  }
  change.after =
      change.file.bytes || !added.empty() ? std::optional(std::move(text)) : std::nullopt;
  change.step = step_of(added, change.file.path);
  finish(change);
  if (!change.is_change && change.others.empty() && !wanted.empty()) {
    change.others.push_back(step_of(wanted, change.file.path));
    change.others.back().state = SetupState::unchanged;
  }
  return change;
}

FileChange plan_removal(const FileRow& row,
                        const std::string& boundary,
                        const std::vector<std::string>& agents) {
  FileChange change;
  change.boundary = boundary;
  change.file.path = row.path;
  change.project = row.project;
  std::vector<EntryRow> going;
  std::vector<EntryRow> staying;
  for (const EntryRow& entry : row.entries) {
    bool goes = agents.empty() || std::ranges::find(agents, entry.agent) != agents.end();
    (goes ? going : staying).push_back(entry);
  }
  change.step = step_of(going, row.path);
  Result<ConfigFile> file = look_at_file(row.path, boundary);
  if (!file) {
    for (const EntryRow& entry : going) {
      tell(change, entry, SetupState::failed, in_file(file.error(), row.path));
    }
    change.entries = row.entries;
    return change;
  }
  change.file = std::move(*file);
  change.after = change.file.bytes;
  change.is_made = row.is_made;
  if (going.empty() || !change.file.bytes) {
    change.entries = staying;
    finish(change);
    return change;
  }
  const std::string& text = *change.file.bytes;
  bool is_as_written = sha256(text).hex() == row.after;
  Result<std::string> backup =
      row.is_made ? Result<std::string>("") : read_file(row.backup, 8u << 20);
  if (staying.empty() && is_as_written && backup) {
    change.after = row.is_made ? std::nullopt : std::optional(std::move(*backup));
  } else if (auto anew = is_as_written && backup ? only_with(*backup, staying) : std::nullopt) {
    change.after = std::move(anew);
    change.entries = staying;
    change.without_us = std::move(*backup);
  } else {
    std::vector<EntryRow> left;
    hand_over(going, staying);
    std::string rest = take_all(change, text, going, &left);
    bool is_nothing = row.is_made && staying.empty() && left.empty()
                      && agent_config::is_empty_config(row.entries.front().form(), rest);
    change.after = is_nothing ? std::nullopt : std::optional(std::move(rest));
    change.entries = staying;
    change.without_us = change.after ? take_all(change, *change.after, staying, nullptr) : "";
  }
  finish(change);
  return change;
}

} // namespace upskill::setup
