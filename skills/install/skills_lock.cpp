#include "skills/install/skills_lock.h"

#include "protocol/base/utf8.h"
#include "skills/install/json_tree.h"
#include "skills/install/skill_front.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace upskill::install {
namespace {

constexpr std::size_t k_max_lock = 16u << 20; // bytes

struct Field {
  std::string_view key;
  std::string LockEntry::*text;
  bool is_always_there = false; // even where it is empty
};

// In the order in which `skills` writes those of a new entry.
constexpr std::array<Field, 7> k_project{{{"source", &LockEntry::source, true},
                                          {"sourceUrl", &LockEntry::source_url},
                                          {"ref", &LockEntry::ref},
                                          {"sourceType", &LockEntry::source_type, true},
                                          {"skillPath", &LockEntry::skill_path},
                                          {"computedHash", &LockEntry::computed_hash, true},
                                          {"wellKnownDigest", &LockEntry::well_known_digest}}};
constexpr std::array<Field, 10> k_global{{{"source", &LockEntry::source, true},
                                          {"sourceType", &LockEntry::source_type, true},
                                          {"sourceUrl", &LockEntry::source_url, true},
                                          {"ref", &LockEntry::ref},
                                          {"skillPath", &LockEntry::skill_path},
                                          {"skillFolderHash", &LockEntry::skill_folder_hash, true},
                                          {"installedAt", &LockEntry::installed_at, true},
                                          {"updatedAt", &LockEntry::updated_at, true},
                                          {"sourceBaseUrl", &LockEntry::source_base_url},
                                          {"wellKnownDigest", &LockEntry::well_known_digest}}};

std::span<const Field> fields_of(LockKind kind) {
  return kind == LockKind::project ? std::span<const Field>(k_project)
                                   : std::span<const Field>(k_global);
}

std::string_view version_of(LockKind kind) {
  return kind == LockKind::project ? "1" : "3";
}

// Versions count from 1.
bool is_older_version(const JsonTree& version, LockKind kind) {
  return version.kind == JsonTree::Kind::number && version.text.size() == 1 && version.text >= "1"
         && version.text < version_of(kind);
}

std::string file_of(LockKind kind) {
  return kind == LockKind::project ? "`skills-lock.json`" : "`.skill-lock.json`";
}

tl::unexpected<Error> damaged(LockKind kind, std::string_view text, std::string why) {
  bool is_merged = text.find("<<<<<<< ") != std::string_view::npos;
  return fail(ErrorCode::corrupt,
              file_of(kind) + " " + std::move(why),
              is_merged ? "it holds a merge that is not settled; settle it first"
                        : "put it right, or take it away: the skills stay, and what they came from "
                          "is forgotten");
}

// A name that JavaScript takes for an index, whose number comes before all names.
std::optional<std::uint32_t> index_of(std::string_view name) {
  std::uint32_t index = 0;
  const char* end = name.data() + name.size();
  auto read = std::from_chars(name.data(), end, index);
  bool is_index = read.ec == std::errc{} && read.ptr == end && (name == "0" || name[0] != '0')
                  && index != std::numeric_limits<std::uint32_t>::max();
  return is_index ? std::optional<std::uint32_t>(index) : std::nullopt;
}

// Bytes of UTF-8 in the order of UTF-16, which has U+10000 and above before U+E000.
unsigned utf16_rank(char c) {
  unsigned byte = static_cast<unsigned char>(c);
  return byte == 0xEE || byte == 0xEF ? byte + 0x20 : byte;
}

// As JavaScript lists the keys of an object into which they were put sorted.
struct NameOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    std::optional<std::uint32_t> index_a = index_of(a);
    std::optional<std::uint32_t> index_b = index_of(b);
    if (index_a || index_b) {
      return index_a && (!index_b || *index_a < *index_b);
    }
    return std::ranges::lexicographical_compare(a, b, {}, utf16_rank, utf16_rank);
  }
};

} // namespace

struct SkillsLock::State {
  LockKind kind;
  JsonTree root;                                     // its `skills` are empty
  std::map<std::string, JsonTree, NameOrder> skills; // what stood there, whatever it is
  bool is_older = false;                             // its `skills` are in `root`
  bool is_changed = false;
};

SkillsLock::SkillsLock(std::unique_ptr<State> state)
    : m_state(std::move(state)) {}

SkillsLock::SkillsLock(SkillsLock&&) noexcept = default;
SkillsLock& SkillsLock::operator=(SkillsLock&&) noexcept = default;
SkillsLock::~SkillsLock() = default;

Result<SkillsLock> SkillsLock::parse(LockKind kind, std::string_view text) {
  auto state = std::make_unique<State>();
  state->kind = kind;
  if (text.empty()) {
    state->root = JsonTree::object();
    state->root.set("version",
                    {.kind = JsonTree::Kind::number, .text = std::string(version_of(kind))});
    state->root.set("skills", JsonTree::object());
    if (kind == LockKind::global) {
      state->root.set("dismissed", JsonTree::object());
    }
    return SkillsLock(std::move(state));
  }
  Result<JsonTree> root = read_json(text, file_of(kind), k_max_lock);
  if (!root) {
    return root.error().code == ErrorCode::corrupt ? damaged(kind, text, "is no JSON")
                                                   : tl::make_unexpected(root.error());
  }
  state->root = std::move(*root);
  const JsonTree* version = state->root.find("version");
  JsonTree* skills = state->root.find("skills");
  if (version == nullptr || skills == nullptr || !skills->is_object()) {
    return damaged(kind, {}, "has no `version` or no `skills`");
  }
  if (is_older_version(*version, kind)) {
    state->is_older = true;
    return SkillsLock(std::move(state));
  }
  if (version->kind != JsonTree::Kind::number || version->text != version_of(kind)) {
    return damaged(kind,
                   {},
                   "is of version " + in_backticks(one_line(version->text, 40)) + ", and not "
                       + std::string(version_of(kind)));
  }
  for (JsonMember& member : skills->members) {
    state->skills.emplace(std::move(member.key), std::move(member.value));
  }
  skills->members.clear();
  return SkillsLock(std::move(state));
}

bool SkillsLock::is_older() const {
  return m_state->is_older;
}

bool SkillsLock::is_changed() const {
  return m_state->is_changed;
}

std::map<std::string, LockEntry> SkillsLock::entries() const {
  std::map<std::string, LockEntry> entries;
  for (const auto& [name, tree] : m_state->skills) {
    if (!tree.is_object()) {
      continue;
    }
    LockEntry entry;
    for (const Field& field : fields_of(m_state->kind)) {
      entry.*field.text = tree.text_of(field.key);
    }
    entries.emplace(name, std::move(entry));
  }
  return entries;
}

void SkillsLock::put(const std::string& skill, const LockEntry& entry) {
  JsonTree& tree = m_state->skills[skill];
  const JsonTree before = tree;
  if (!tree.is_object()) {
    tree = JsonTree::object();
  }
  for (const Field& field : fields_of(m_state->kind)) {
    const std::string& text = entry.*field.text;
    if (!text.empty() || field.is_always_there) {
      tree.set(field.key, JsonTree::string(text));
    } else {
      std::erase_if(tree.members,
                    [&](const JsonMember& member) { return member.key == field.key; });
    }
  }
  m_state->is_changed = m_state->is_changed || tree != before;
}

std::string SkillsLock::entry_text(const std::string& skill) const {
  auto entry = m_state->skills.find(skill);
  return entry != m_state->skills.end() ? json_text(entry->second) : std::string();
}

void SkillsLock::put_text(const std::string& skill, std::string_view text) {
  Result<JsonTree> entry = read_json(text, file_of(m_state->kind), k_max_lock);
  if (entry && entry->is_object()) {
    bool is_new = m_state->skills.emplace(skill, std::move(*entry)).second;
    m_state->is_changed = m_state->is_changed || is_new;
  }
}

bool SkillsLock::remove(const std::string& skill) {
  bool is_gone = m_state->skills.erase(skill) > 0;
  m_state->is_changed = m_state->is_changed || is_gone;
  return is_gone;
}

void SkillsLock::rename(const std::string& from, const std::string& to) {
  auto entry = m_state->skills.extract(from);
  if (entry) {
    entry.key() = to;
    m_state->skills.insert(std::move(entry));
    m_state->is_changed = m_state->is_changed || from != to;
  }
}

std::string SkillsLock::text() const {
  JsonTree root = m_state->root;
  JsonTree* skills = root.find("skills");
  for (const auto& [name, tree] : m_state->skills) {
    skills->members.push_back({name, tree});
  }
  return json_text(root) + "\n";
}

} // namespace upskill::install
