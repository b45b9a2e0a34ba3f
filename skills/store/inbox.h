#pragma once
#include "protocol/base/result.h"
#include "skills/store/settled_topics.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

inline constexpr std::size_t k_max_inbox_items = 100;
inline constexpr std::size_t k_max_inbox_files = 100;      // of one item
inline constexpr std::size_t k_max_inbox_bytes = 4u << 20; // of all its files
inline constexpr std::size_t k_max_inbox_text = 4096;      // bytes of a reason, a fingerprint
inline constexpr std::size_t k_max_inbox_list = 200;       // sessions, warnings of one item

struct InboxFile {
  std::string bytes;
  bool is_program = false;

  friend bool operator==(const InboxFile&, const InboxFile&) = default;
};

using InboxFiles = std::map<std::string, InboxFile>; // by path, relative to the skill

// Why and of what a skill was drafted: the `origin.json` beside it.
struct InboxOrigin {
  std::string skill;                      // its name, and its folder's
  std::string reason = {};                // for a person
  std::vector<std::string> sessions = {}; // ids
  std::string model = {};
  std::int64_t created_ms = 0;  // Unix time
  std::string fingerprint = {}; // of its topic: words, see is_same_topic()
  std::vector<std::string> warnings = {};

  friend bool operator==(const InboxOrigin&, const InboxOrigin&) = default;
};

struct InboxEntry {
  std::string id;     // 12 hexadecimal digits
  std::string folder; // of the skill
  InboxOrigin origin; // where it does not parse: the skill's name alone, and `problem` says so
  std::string problem = {};
};

// Skills that were drafted without being asked for, and wait for a person, in no agent's folder:
// `<id>/skill/NAME/…`, readable without us, and `<id>/origin.json`; beside them `declined.json`.
// What lies there is believed as little as any file: no link is followed, sizes are bounded. One
// change at a time, whoever makes it, by a lock on the folder. Time is a parameter.
class Inbox {
public:
  // `folder` is made (0700) when something is first put in.
  explicit Inbox(std::string folder)
      : m_folder(std::move(folder)) {}

  // All of it or nothing. invalid_argument: a path or name that none can have, no SKILL.md;
  // too_large; busy: k_max_inbox_items wait already.
  Result<InboxEntry> add(InboxOrigin origin, const InboxFiles& files);
  // Newest first.
  Result<std::vector<InboxEntry>> list() const;
  // By its id, how that begins (4 digits at least), or its skill's name. not_found;
  // invalid_argument where several are meant.
  Result<InboxEntry> find(std::string_view name) const;
  // What lies in the skill's folder now. unsupported: a link, or anything else that is no file;
  // too_large.
  Result<InboxFiles> files(const InboxEntry& entry) const;
  // Takes it out, and remembers that its topic is settled.
  Result<void> settle(const InboxEntry& entry, Settled settled, std::int64_t now_ms);
  // A file that cannot be understood is set aside and told. unsupported: of a newer version.
  Result<SettledTopics> settled() const;
  // Whether a topic was settled.
  Result<bool> is_declined(std::string_view fingerprint) const;

private:
  Result<void>
  write(const std::string& folder, const InboxOrigin& origin, const InboxFiles& files) const;
  Result<void> remove(const InboxEntry& entry) const;

  std::string m_folder;
};

} // namespace upskill::store
