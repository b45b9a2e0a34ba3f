#include "skills/install/record.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/json_tree.h"
#include "skills/install/record_form.h"
#include "skills/install/skill_front.h"
#include "skills/install/source_parts.h"
#include "skills/library/names.h"

#include <algorithm>
#include <charconv>

namespace upskill::install {
namespace {

tl::unexpected<Error> damaged(std::string why) {
  return fail(ErrorCode::corrupt,
              std::string(k_record) + " is damaged: " + std::move(why),
              std::string(k_record_hint));
}

// The members of one row. The first that is wrong makes all of it damaged; what was not asked for
// is left over.
class RowReader {
public:
  explicit RowReader(JsonTree row)
      : m_members(std::move(row.members))
      , m_is_taken(m_members.size(), false) {}

  std::string text(std::string_view key) {
    std::optional<JsonTree> value = take(key);
    if (!value) {
      return {};
    }
    expect(value->is_string() && value->text.size() <= k_max_text, key);
    return std::move(value->text);
  }

  std::vector<std::string> texts(std::string_view key) {
    std::optional<JsonTree> value = take(key);
    std::vector<std::string> texts;
    if (value && expect(value->is_array() && value->items.size() <= k_max_list, key)) {
      for (JsonTree& item : value->items) {
        expect(item.is_string() && item.text.size() <= k_max_text, key);
        texts.push_back(std::move(item.text));
      }
    }
    return texts;
  }

  bool flag(std::string_view key) {
    std::optional<JsonTree> value = take(key);
    return value && expect(value->kind == JsonTree::Kind::boolean, key) && value->text == "true";
  }

  std::int64_t number(std::string_view key) {
    std::optional<JsonTree> value = take(key);
    std::int64_t number = 0;
    if (value) {
      const char* end = value->text.data() + value->text.size();
      auto read = std::from_chars(value->text.data(), end, number);
      expect(value->kind == JsonTree::Kind::number && read.ec == std::errc{} && read.ptr == end,
             key);
    }
    return number;
  }

  std::optional<Digest> digest(std::string_view key) {
    std::string hex = text(key);
    std::optional<Digest> digest = Digest::from_hex(hex);
    expect(digest.has_value() || hex.empty(), key);
    return digest;
  }

  bool expect(bool is_right, std::string_view key) {
    if (!is_right && m_wrong.empty()) {
      m_wrong = key;
    }
    return is_right;
  }

  const std::string& wrong() const { return m_wrong; }

  // As JSON; empty where nothing is left.
  std::string left() {
    JsonTree left = JsonTree::object();
    for (std::size_t i = 0; i < m_members.size(); ++i) {
      if (!m_is_taken[i]) {
        left.members.push_back(std::move(m_members[i]));
      }
    }
    return left.members.empty() ? std::string() : json_text(left);
  }

private:
  // Members mostly stand in the order in which they are asked for.
  std::optional<JsonTree> take(std::string_view key) {
    for (std::size_t i = 0; i < m_members.size(); ++i) {
      const std::size_t at = (m_next + i) % m_members.size();
      if (!m_is_taken[at] && m_members[at].key == key) {
        m_is_taken[at] = true;
        m_next = at + 1;
        return std::move(m_members[at].value);
      }
    }
    return std::nullopt;
  }

  std::vector<JsonMember> m_members;
  std::vector<bool> m_is_taken;
  std::size_t m_next = 0; // where the member is that is asked for next, most likely
  std::string m_wrong = {};
};

Source read_source(RowReader& reader) {
  Source source;
  std::string kind = reader.text("kind");
  auto at = std::ranges::find(k_kinds, kind);
  if (reader.expect(at != k_kinds.end(), "kind")) {
    source.kind = static_cast<SourceKind>(at - k_kinds.begin());
  }
  source.name = reader.text("source");
  source.type = reader.text("source_type");
  source.address = reader.text("address");
  source.ref = reader.text("ref");
  source.folder = reader.text("folder");
  return source;
}

InstallRow read_row(RowReader& reader) {
  InstallRow row;
  row.skill = reader.text("skill");
  row.scope = reader.text("scope");
  row.source = read_source(reader);
  row.from = reader.text("from");
  row.commit = reader.text("commit");
  row.digest = reader.text("digest");
  std::optional<Digest> base = reader.digest("base");
  reader.expect(base.has_value(), "base");
  row.base = base.value_or(Digest{});
  row.renamed_from = reader.text("renamed_from");
  row.agents = reader.texts("agents");
  row.links = reader.flag("links");
  row.allowed = reader.texts("allowed");
  row.held = reader.digest("held");
  row.installed_ms = reader.number("installed_ms");
  row.updated_ms = reader.number("updated_ms");
  std::string_view wrong = wrong_in(row);
  reader.expect(wrong.empty(), wrong);
  return row;
}

RemovedRow removed_row(RowReader& reader) {
  RemovedRow removed;
  removed.row = read_row(reader);
  std::optional<Digest> left = reader.digest("left");
  reader.expect(left.has_value(), "left");
  removed.left = left.value_or(Digest{});
  removed.lock_name = reader.text("lock_name");
  removed.lock_entry = reader.text("lock_entry");
  removed.removed_ms = reader.number("removed_ms");
  return removed;
}

} // namespace

Result<InstallRecord> InstallRecord::parse(std::string_view text) {
  InstallRecord record;
  if (text.empty()) {
    return record;
  }
  Result<JsonTree> read = read_json(text, k_record, k_max_record);
  if (!read) {
    return fail(read.error().code, std::move(read.error().message), std::string(k_record_hint));
  }
  JsonTree& root = *read;
  const JsonTree* version = root.find("version");
  JsonTree* rows = root.find("installed");
  if (version == nullptr || rows == nullptr || !rows->is_array()) {
    return damaged("`version` or `installed` is not there");
  }
  if (version->text != k_record_version) {
    return damaged("it is of version " + in_backticks(one_line(version->text, 40))
                   + ", and this program knows " + std::string(k_record_version));
  }
  for (JsonTree& item : rows->items) {
    RowReader reader(std::move(item));
    InstallRow row = read_row(reader);
    InstallKey key{row.scope, row.skill};
    if (!reader.wrong().empty()) {
      return damaged("a row has no right " + in_backticks(reader.wrong()));
    }
    if (std::string more = reader.left(); !more.empty()) {
      record.m_more.emplace(key, std::move(more));
    }
    if (!record.m_rows.emplace(std::move(key), std::move(row)).second) {
      return damaged("it has a skill twice");
    }
  }
  if (JsonTree* removed = root.find("removed")) {
    TRY(record.read_removed(*removed));
  }
  return record;
}

Result<void> InstallRecord::read_removed(JsonTree& rows) {
  if (!rows.is_array()) {
    return damaged("`removed` is no list");
  }
  for (JsonTree& item : rows.items) {
    RowReader reader(std::move(item));
    RemovedRow row = removed_row(reader);
    InstallKey key{row.row.scope, row.row.skill};
    if (!reader.wrong().empty()) {
      return damaged("a removed row has no right " + in_backticks(reader.wrong()));
    }
    row.more = reader.left();
    bool is_there = m_rows.contains(key);
    if (is_there || !m_removed.emplace(std::move(key), std::move(row)).second) {
      return damaged("it has a skill twice");
    }
  }
  return {};
}

const InstallRow* InstallRecord::find(std::string_view scope, std::string_view skill) const {
  auto at = m_rows.find({std::string(scope), std::string(skill)});
  return at == m_rows.end() ? nullptr : &at->second;
}

void InstallRecord::put(InstallRow row) {
  InstallKey key{row.scope, row.skill};
  m_removed.erase(key);
  m_rows.insert_or_assign(std::move(key), std::move(row));
}

bool InstallRecord::remove(std::string_view scope, std::string_view skill) {
  InstallKey key{std::string(scope), std::string(skill)};
  m_more.erase(key);
  m_removed.erase(key);
  return m_rows.erase(key) > 0;
}

void InstallRecord::set_aside(const InstallKey& key, RemovedRow how) {
  auto row = m_rows.extract(key);
  if (!row) {
    return;
  }
  how.row = std::move(row.mapped());
  if (auto more = m_more.extract(key)) {
    how.more = std::move(more.mapped());
  }
  // An entry that could not be read again is not kept.
  if (how.lock_name.size() > k_max_text || how.lock_entry.size() > k_max_text) {
    how.lock_name.clear();
    how.lock_entry.clear();
  }
  m_removed.insert_or_assign(key, std::move(how));
  if (m_removed.size() > k_most_removed) {
    m_removed.erase(std::ranges::min_element(
        m_removed, {}, [](const auto& removed) { return removed.second.removed_ms; }));
  }
}

void InstallRecord::take_back(const InstallKey& key) {
  if (auto removed = m_removed.extract(key)) {
    m_rows.insert_or_assign(key, std::move(removed.mapped().row));
    if (!removed.mapped().more.empty()) {
      m_more.insert_or_assign(key, std::move(removed.mapped().more));
    }
  }
}

} // namespace upskill::install
