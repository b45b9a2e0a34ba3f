#include "skills/store/inbox.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/hash.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/store/folder_tree.h"
#include "skills/store/inbox_files.h"
#include "skills/store/inbox_record.h"
#include "skills/store/inner_path.h"
#include "skills/store/item_folder.h"
#include "skills/store/settled_topics.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <tuple>

namespace upskill::store {
namespace {

constexpr std::size_t k_id_digits = 12;
constexpr std::size_t k_least_prefix = 4;
constexpr std::string_view k_unfinished = ".new-";
constexpr std::string_view k_leaving = ".gone-";

bool is_id(std::string_view name) {
  return name.size() == k_id_digits
         && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The inbox, held by one at a time. What an interrupted change left in it goes.
Result<UniqueFd> lock(const std::string& path) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int locked = -1;
  while (folder && (locked = ::flock(folder.get(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  if (locked != 0) {
    return fail(system_error(errno, "cannot open the inbox `" + path + "`"));
  }
  TRY(each_name(folder.get(), [&](const std::string& name) -> Result<void> {
    if (name.starts_with(k_unfinished) || name.starts_with(k_leaving)) {
      (void)remove_tree(join_path(path, name)); // tried again the next time
    }
    return {};
  }));
  return folder;
}

// The one folder in `skill/`.
std::optional<std::string> skill_in(int item) {
  UniqueFd folder = open_inner_folder(item, "skill");
  std::vector<std::string> names;
  if (folder) {
    (void)each_name(folder.get(), [&](const std::string& name) -> Result<void> {
      names.push_back(name);
      return {};
    });
  }
  bool is_one = names.size() == 1 && is_utf8(names.front())
                && open_inner_folder(folder.get(), names.front().c_str());
  return is_one ? std::optional(names.front()) : std::nullopt;
}

std::optional<InboxEntry> entry_of(int inbox, const std::string& folder, const std::string& id) {
  UniqueFd item = open_inner_folder(inbox, id.c_str());
  std::optional<std::string> skill = item ? skill_in(item.get()) : std::nullopt;
  if (!skill) {
    return std::nullopt;
  }
  InboxEntry entry{.id = id, .folder = join_path(folder, id + "/skill/" + *skill), .origin = {}};
  Result<InboxFile> text = read_inner_file(item.get(), "origin.json", k_max_inbox_record);
  Result<InboxOrigin> origin = text ? parse_inbox_origin(text->bytes) : fail(text.error());
  if (origin && origin->skill == *skill) {
    entry.origin = *std::move(origin);
  } else {
    entry.origin.skill = *skill;
    entry.problem = origin ? "`origin.json` is of another skill" : origin.error().message;
  }
  return entry;
}

Result<void> check(const InboxOrigin& origin, const InboxFiles& files) {
  std::size_t bytes = 0;
  bool is_name = check_inner_path(origin.skill).has_value() && !origin.skill.starts_with('.')
                 && origin.skill.find('/') == std::string::npos;
  if (!is_name) {
    return fail(ErrorCode::invalid_argument, in_backticks(origin.skill) + " is no name of a skill");
  }
  auto document = files.find("SKILL.md");
  if (document == files.end() || document->second.bytes.empty()) {
    return fail(ErrorCode::invalid_argument, "a skill has a `SKILL.md` that is not empty");
  }
  for (const auto& [path, file] : files) {
    TRY(check_inner_path(path));
    bytes += file.bytes.size();
  }
  return files.size() <= k_max_inbox_files && bytes <= k_max_inbox_bytes
             ? Result<void>{}
             : fail(ErrorCode::too_large, "a skill of the inbox is 100 files and 4 MiB at most");
}

void cut(std::vector<std::string>& texts) {
  texts.resize(std::min(texts.size(), k_max_inbox_list));
  for (std::string& text : texts) {
    text = utf8_prefix(text, k_max_inbox_text);
  }
}

std::string id_of(const InboxOrigin& origin, const InboxFiles& files) {
  Sha256 hash;
  hash.update_framed(origin.skill);
  hash.update_framed(origin.fingerprint);
  hash.update_number(static_cast<std::uint64_t>(origin.created_ms));
  for (const auto& [path, file] : files) {
    hash.update_framed(path);
    hash.update_framed(file.bytes);
  }
  return hash.finish().brief(k_id_digits);
}

bool exists(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

} // namespace

Result<void>
Inbox::write(const std::string& folder, const InboxOrigin& origin, const InboxFiles& files) const {
  std::string skill = join_path(folder, "skill/" + origin.skill);
  for (const auto& [path, file] : files) {
    std::string full = join_path(skill, path);
    TRY(make_directories(parent_path(full), 0700));
    TRY(write_file_atomically(
        full, file.bytes, file.is_program ? 0700 : 0600, Durability::power_loss));
  }
  return write_file_atomically(
      join_path(folder, "origin.json"), write_inbox_origin(origin), 0600, Durability::power_loss);
}

Result<InboxEntry> Inbox::add(InboxOrigin origin, const InboxFiles& files) {
  TRY(check(origin, files));
  origin.reason = utf8_prefix(origin.reason, k_max_inbox_text);
  origin.fingerprint = utf8_prefix(origin.fingerprint, k_max_inbox_text);
  origin.model = utf8_prefix(origin.model, k_max_inbox_text);
  cut(origin.sessions);
  cut(origin.warnings);
  TRY(make_directories(m_folder, 0700));
  TRY_ASSIGN(UniqueFd locked, lock(m_folder));
  TRY_ASSIGN(std::vector<InboxEntry> entries, list());
  if (entries.size() >= k_max_inbox_items) {
    return fail(ErrorCode::busy,
                std::to_string(entries.size()) + " skills wait in the inbox already",
                "`upskill inbox list` shows them; accept or decline some");
  }
  std::string id = id_of(origin, files);
  std::string unfinished = join_path(m_folder, std::string(k_unfinished) + id);
  Result<void> written = write(unfinished, origin, files);
  Result<bool> placed =
      written ? rename_to_new(unfinished, join_path(m_folder, id)) : fail(written.error());
  if (!placed) {
    (void)remove_tree(unfinished);
    return exists(join_path(m_folder, id))
               ? fail(ErrorCode::already_exists, "this very skill is in the inbox already")
               : fail(std::move(placed).error());
  }
  std::string folder = join_path(m_folder, id + "/skill/" + origin.skill);
  return InboxEntry{std::move(id), std::move(folder), std::move(origin)};
}

Result<std::vector<InboxEntry>> Inbox::list() const {
  std::vector<InboxEntry> entries;
  UniqueFd folder(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    return errno == ENOENT ? Result<std::vector<InboxEntry>>(std::move(entries))
                           : fail(system_error(errno, "cannot open the inbox `" + m_folder + "`"));
  }
  TRY(each_name(folder.get(), [&](const std::string& name) -> Result<void> {
    if (is_id(name)) {
      std::optional<InboxEntry> entry = entry_of(folder.get(), m_folder, name);
      std::ranges::move(entry ? std::vector{*std::move(entry)} : std::vector<InboxEntry>(),
                        std::back_inserter(entries));
    }
    return {};
  }));
  std::ranges::sort(entries, [](const InboxEntry& a, const InboxEntry& b) {
    return std::tie(b.origin.created_ms, a.id) < std::tie(a.origin.created_ms, b.id);
  });
  return entries;
}

Result<InboxEntry> Inbox::find(std::string_view name) const {
  TRY_ASSIGN(std::vector<InboxEntry> entries, list());
  std::vector<const InboxEntry*> found;
  std::string names;
  for (const InboxEntry& entry : entries) {
    if (entry.id == name) {
      return entry;
    }
    bool is_begun = name.size() >= k_least_prefix && entry.id.starts_with(name);
    if (entry.origin.skill == name || is_begun) {
      found.push_back(&entry);
      names += (names.empty() ? "`" : ", `") + entry.id + "`";
    }
  }
  if (found.size() > 1) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(name) + " may mean several: " + names,
                "say the whole id");
  }
  return !found.empty() ? Result<InboxEntry>(*found.front())
                        : fail(ErrorCode::not_found,
                               "nothing in the inbox is called " + in_backticks(name),
                               "`upskill inbox list` shows what is there");
}

Result<InboxFiles> Inbox::files(const InboxEntry& entry) const {
  UniqueFd inbox(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd item = inbox ? open_inner_folder(inbox.get(), entry.id.c_str()) : UniqueFd();
  UniqueFd parent = item ? open_inner_folder(item.get(), "skill") : UniqueFd();
  UniqueFd skill =
      parent ? open_inner_folder(parent.get(), entry.origin.skill.c_str()) : UniqueFd();
  if (!skill) {
    return fail(system_error(errno, "cannot open folder `" + entry.folder + "`"));
  }
  Result<InboxFiles> files = read_files(skill.get());
  if (!files) {
    Error error = std::move(files).error();
    error.message = in_backticks(entry.folder) + ": " + error.message;
    return fail(std::move(error));
  }
  return files;
}

// Renamed first, so that it is there whole or not at all.
Result<void> Inbox::remove(const InboxEntry& entry) const {
  std::string leaving = join_path(m_folder, std::string(k_leaving) + entry.id);
  TRY(rename_to_new(join_path(m_folder, entry.id), leaving));
  (void)remove_tree(leaving); // what is left goes with the next change
  return {};
}

Result<void> Inbox::settle(const InboxEntry& entry, Settled settled, std::int64_t now_ms) {
  TRY_ASSIGN(UniqueFd locked, lock(m_folder));
  if (!entry.origin.fingerprint.empty()) {
    TRY_ASSIGN(SettledTopics known, read_settled(locked.get(), m_folder));
    std::erase_if(known.topics, [&](const SettledTopic& topic) {
      return topic.fingerprint == entry.origin.fingerprint;
    });
    known.topics.push_back({entry.origin.fingerprint, entry.origin.skill, settled, now_ms});
    TRY(keep_settled(m_folder, std::move(known.topics)));
  }
  return remove(entry);
}

Result<SettledTopics> Inbox::settled() const {
  if (!exists(m_folder)) {
    return SettledTopics{};
  }
  TRY_ASSIGN(UniqueFd locked, lock(m_folder));
  return read_settled(locked.get(), m_folder);
}

Result<bool> Inbox::is_declined(std::string_view fingerprint) const {
  TRY_ASSIGN(SettledTopics known, settled());
  return known.has(fingerprint);
}

} // namespace upskill::store
