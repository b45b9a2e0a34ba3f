#include "skills/install/record.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/json_tree.h"
#include "skills/install/skill_front.h"
#include "skills/install/source_parts.h"
#include "skills/library/names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace upskill::install {
namespace {

constexpr std::size_t k_max_record = 16u << 20; // bytes
constexpr std::size_t k_max_text = 8192;        // bytes of one value
constexpr std::size_t k_max_list = 1000;        // agents, hashes
constexpr std::string_view k_version = "1";
constexpr std::string_view k_hint =
    "put back a copy of the file; without it the skills stay, and what they came from is forgotten";
constexpr std::string_view k_what = "the record of installed skills (`installed.json`)";

// By their place in SourceKind.
constexpr std::array<std::string_view, 8> k_kinds{
    "folder", "archive", "document", "git", "archive_at", "document_at", "well_known", "mcp"};

tl::unexpected<Error> damaged(std::string why) {
  return fail(ErrorCode::corrupt,
              std::string(k_what) + " is damaged: " + std::move(why),
              std::string(k_hint));
}

// The members of one row. The first that is wrong makes all of it damaged; what was not asked for
// is left over.
class RowReader {
public:
  explicit RowReader(JsonTree row)
      : m_left(std::move(row)) {}

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

  const JsonTree& left() const { return m_left; }

private:
  std::optional<JsonTree> take(std::string_view key) {
    auto at = std::ranges::find(m_left.members, key, &JsonMember::key);
    if (at == m_left.members.end()) {
      return std::nullopt;
    }
    JsonTree value = std::move(at->value);
    m_left.members.erase(at);
    return value;
  }

  JsonTree m_left;
  std::string m_wrong = {};
};

// Whoever reads a row makes a path of it.
bool stays_inside(std::string_view path) {
  return !path.starts_with('/')
         && std::ranges::none_of(path_parts(path),
                                 [](std::string_view part) { return part == ".."; });
}

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
  reader.expect(stays_inside(source.folder), "folder");
  return source;
}

InstallRow read_row(RowReader& reader) {
  InstallRow row;
  row.skill = reader.text("skill");
  reader.expect(!library::refused_name(row.skill), "skill");
  row.scope = reader.text("scope");
  reader.expect(row.scope.empty() || row.scope == normalized_path(row.scope, "/"), "scope");
  row.source = read_source(reader);
  row.from = reader.text("from");
  bool is_folder = row.source.kind != SourceKind::mcp && row.source.kind != SourceKind::well_known;
  reader.expect(!is_folder || stays_inside(row.from), "from");
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

void put_text(JsonTree& object, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    object.members.push_back({std::string(key), JsonTree::string(text)});
  }
}

void put_texts(JsonTree& object, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) {
    return;
  }
  JsonTree list{.kind = JsonTree::Kind::array};
  for (const std::string& text : texts) {
    list.items.push_back(JsonTree::string(text));
  }
  object.members.push_back({std::string(key), std::move(list)});
}

// What a newer version may have added.
void put_more(JsonTree& object, const std::string& more) {
  if (more.empty()) {
    return;
  }
  Result<JsonTree> fields = read_json(more, k_what, k_max_record);
  for (JsonMember& field : fields->members) {
    object.members.push_back(std::move(field));
  }
}

JsonTree row_tree(const InstallRow& row) {
  JsonTree tree = JsonTree::object();
  put_text(tree, "skill", row.skill);
  put_text(tree, "scope", row.scope);
  put_text(tree, "kind", k_kinds[static_cast<std::size_t>(row.source.kind)]);
  put_text(tree, "source", row.source.name);
  put_text(tree, "source_type", row.source.type);
  put_text(tree, "address", row.source.address);
  put_text(tree, "ref", row.source.ref);
  put_text(tree, "folder", row.source.folder);
  put_text(tree, "from", row.from);
  put_text(tree, "commit", row.commit);
  put_text(tree, "digest", row.digest);
  put_text(tree, "base", row.base.hex());
  put_text(tree, "renamed_from", row.renamed_from);
  put_texts(tree, "agents", row.agents);
  if (row.links) {
    tree.members.push_back({"links", {.kind = JsonTree::Kind::boolean, .text = "true"}});
  }
  put_texts(tree, "allowed", row.allowed);
  put_text(tree, "held", row.held ? row.held->hex() : std::string());
  tree.members.push_back({"installed_ms", JsonTree::number(row.installed_ms)});
  tree.members.push_back({"updated_ms", JsonTree::number(row.updated_ms)});
  return tree;
}

JsonTree removed_tree(const std::map<InstallKey, RemovedRow>& rows) {
  JsonTree list{.kind = JsonTree::Kind::array};
  for (const auto& [key, removed] : rows) {
    JsonTree tree = row_tree(removed.row);
    put_text(tree, "left", removed.left.hex());
    put_text(tree, "lock_name", removed.lock_name);
    put_text(tree, "lock_entry", removed.lock_entry);
    tree.members.push_back({"removed_ms", JsonTree::number(removed.removed_ms)});
    put_more(tree, removed.more);
    list.items.push_back(std::move(tree));
  }
  return list;
}

} // namespace

Result<InstallRecord> InstallRecord::parse(std::string_view text) {
  InstallRecord record;
  if (text.empty()) {
    return record;
  }
  Result<JsonTree> read = read_json(text, k_what, k_max_record);
  if (!read) {
    return fail(read.error().code, std::move(read.error().message), std::string(k_hint));
  }
  JsonTree& root = *read;
  const JsonTree* version = root.find("version");
  JsonTree* rows = root.find("installed");
  if (version == nullptr || rows == nullptr || !rows->is_array()) {
    return damaged("`version` or `installed` is not there");
  }
  if (version->text != k_version) {
    return damaged("it is of version " + in_backticks(one_line(version->text, 40))
                   + ", and this program knows " + std::string(k_version));
  }
  for (JsonTree& item : rows->items) {
    RowReader reader(std::move(item));
    InstallRow row = read_row(reader);
    InstallKey key{row.scope, row.skill};
    if (!reader.wrong().empty()) {
      return damaged("a row has no right " + in_backticks(reader.wrong()));
    }
    if (!reader.left().members.empty()) {
      record.m_more.emplace(key, json_text(reader.left()));
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
    if (!reader.left().members.empty()) {
      row.more = json_text(reader.left());
    }
    bool is_there = m_rows.contains(key);
    if (is_there || !m_removed.emplace(std::move(key), std::move(row)).second) {
      return damaged("it has a skill twice");
    }
  }
  return {};
}

std::string InstallRecord::text() const {
  JsonTree root = JsonTree::object();
  root.members.push_back(
      {"version", {.kind = JsonTree::Kind::number, .text = std::string(k_version)}});
  JsonTree list{.kind = JsonTree::Kind::array};
  for (const auto& [key, row] : m_rows) {
    JsonTree tree = row_tree(row);
    auto more = m_more.find(key);
    put_more(tree, more != m_more.end() ? more->second : std::string());
    list.items.push_back(std::move(tree));
  }
  root.members.push_back({"installed", std::move(list)});
  if (!m_removed.empty()) {
    root.members.push_back({"removed", removed_tree(m_removed)});
  }
  return json_text(root) + "\n";
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
