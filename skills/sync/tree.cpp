#include "skills/sync/tree.h"

#include "protocol/base/bounds.h"

#include <algorithm>

namespace upskill::sync {
namespace {

constexpr char k_record_version = 1;

void put_number(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

// Reads what put_number and put_text wrote; `ok` stays false from the first thing that is wrong.
struct RecordReader {
  std::string_view rest;
  bool ok = true;

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty()) {
        break;
      }
      auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    ok = false;
    return 0;
  }

  std::string_view bytes(std::uint64_t count) {
    if (count > rest.size()) {
      ok = false;
      return {};
    }
    std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }

  std::string_view text() { return bytes(number()); }
};

// What the scanner would give: relative, no empty part, no `.` and `..`. A damaged database must
// not lead a write out of a skill.
bool is_proper_path(std::string_view path) {
  if (path.empty() || path.size() > 4096 || path.find('\0') != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = std::min(path.find('/', at), path.size());
    std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    at = end + 1;
  }
  return true;
}

tl::unexpected<Error> corrupt() {
  return fail(ErrorCode::corrupt, "a stored list of a skill's files does not parse");
}

} // namespace

Tree::Tree(std::vector<Entry> entries)
    : m_entries(std::move(entries)) {
  std::ranges::sort(m_entries, {}, &Entry::path);
}

const Entry* Tree::find(std::string_view path) const {
  auto at = std::ranges::lower_bound(
      m_entries, path, {}, [](const Entry& entry) { return std::string_view(entry.path); });
  return at != m_entries.end() && at->path == path ? &*at : nullptr;
}

bool Tree::is_complete() const {
  std::string_view name = skill_file(*this);
  return !name.empty() && find(name)->size > 0;
}

std::uint64_t Tree::bytes() const {
  std::uint64_t sum = 0;
  for (const Entry& entry : m_entries) {
    sum += entry.size;
  }
  return sum;
}

const Digest& Tree::hash() const {
  if (!m_hashed) {
    Sha256 sha;
    sha.update_number(m_entries.size());
    for (const Entry& entry : m_entries) {
      sha.update_framed(entry.path);
      sha.update_number(static_cast<std::uint64_t>(entry.kind));
      if (entry.kind == EntryKind::link) {
        sha.update_framed(entry.target);
      } else if (entry.kind != EntryKind::folder) {
        sha.update_number(entry.size);
        sha.update({reinterpret_cast<const char*>(entry.content.bytes.data()),
                    entry.content.bytes.size()});
      }
    }
    m_hash = sha.finish();
    m_hashed = true;
  }
  return m_hash;
}

std::string Tree::serialize() const {
  std::string out;
  out += k_record_version;
  put_number(out, m_entries.size());
  for (const Entry& entry : m_entries) {
    put_text(out, entry.path);
    out += static_cast<char>(entry.kind);
    if (entry.kind == EntryKind::link) {
      put_text(out, entry.target);
    } else if (entry.kind != EntryKind::folder) {
      put_number(out, entry.size);
      out.append(reinterpret_cast<const char*>(entry.content.bytes.data()),
                 entry.content.bytes.size());
    }
  }
  return out;
}

Result<Tree> Tree::parse(std::string_view record) {
  RecordReader reader{record};
  std::string_view version = reader.bytes(1);
  std::uint64_t count = reader.number();
  if (!reader.ok || version[0] != k_record_version || count > record.size()
      || count > k_max_skill_entries) {
    return corrupt();
  }
  std::vector<Entry> entries(count);
  for (Entry& entry : entries) {
    entry.path = reader.text();
    std::string_view kind = reader.bytes(1);
    if (!reader.ok || kind[0] < 1 || kind[0] > 4 || !is_proper_path(entry.path)) {
      return corrupt();
    }
    entry.kind = static_cast<EntryKind>(kind[0]);
    if (entry.kind == EntryKind::link) {
      entry.target = reader.text();
      entry.content = sha256(entry.target);
      if (!link_stays_inside(entry.path, entry.target)) {
        return corrupt();
      }
    } else if (entry.kind != EntryKind::folder) {
      entry.size = reader.number();
      std::string_view digest = reader.bytes(entry.content.bytes.size());
      if (!reader.ok) {
        return corrupt();
      }
      std::ranges::copy(digest, entry.content.bytes.begin());
    }
  }
  auto not_before = [](const Entry& a, const Entry& b) { return a.path >= b.path; };
  bool sorted = std::ranges::adjacent_find(entries, not_before) == entries.end();
  if (!reader.ok || !reader.rest.empty() || !sorted) {
    return corrupt();
  }
  return Tree(std::move(entries));
}

bool link_stays_inside(std::string_view link_path, std::string_view target) {
  if (target.empty() || target.front() == '/') {
    return false;
  }
  std::ptrdiff_t depth = std::ranges::count(link_path, '/');
  bool below = false; // a name was seen: from here on `..` may pass through another link
  for (std::size_t at = 0; at <= target.size();) {
    std::size_t end = std::min(target.find('/', at), target.size());
    std::string_view part = target.substr(at, end - at);
    if (part == "..") {
      if (below || --depth < 0) {
        return false;
      }
    } else if (!part.empty() && part != ".") {
      below = true;
    }
    at = end + 1;
  }
  return true;
}

std::string_view skill_file(const Tree& tree) {
  for (std::string_view name : {"SKILL.md", "skill.md"}) {
    const Entry* entry = tree.find(name);
    if (entry != nullptr
        && (entry->kind == EntryKind::file || entry->kind == EntryKind::executable)) {
      return name;
    }
  }
  return {};
}

} // namespace upskill::sync
