// InstallRecord: what is written.
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/install/json_writer.h"
#include "skills/install/record_form.h"
#include "skills/install/source_parts.h"
#include "skills/library/names.h"

#include <algorithm>

namespace upskill::install {
namespace {

// Whoever reads a row makes a path of it.
bool stays_inside(std::string_view path) {
  return !path.starts_with('/')
         && std::ranges::none_of(path_parts(path),
                                 [](std::string_view part) { return part == ".."; });
}

bool is_folder(const Source& source) {
  return source.kind != SourceKind::mcp && source.kind != SourceKind::well_known;
}

} // namespace

std::string_view wrong_in(const InstallRow& row) {
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"source", &row.source.name},
      {"source_type", &row.source.type},
      {"address", &row.source.address},
      {"ref", &row.source.ref},
      {"folder", &row.source.folder},
      {"from", &row.from},
      {"commit", &row.commit},
      {"digest", &row.digest},
      {"renamed_from", &row.renamed_from},
      {"scope", &row.scope},
  };
  for (const auto& [key, text] : texts) {
    if (text->size() > k_max_text) {
      return key;
    }
  }
  for (const auto& [key, list] : {std::pair("agents", &row.agents), {"allowed", &row.allowed}}) {
    auto is_long = [](const std::string& text) { return text.size() > k_max_text; };
    if (list->size() > k_max_list || std::ranges::any_of(*list, is_long)) {
      return key;
    }
  }
  const bool has_scope = row.scope.empty() || row.scope == normalized_path(row.scope, "/");
  return library::refused_name(row.skill)                   ? "skill"
         : !has_scope                                       ? "scope"
         : !stays_inside(row.source.folder)                 ? "folder"
         : is_folder(row.source) && !stays_inside(row.from) ? "from"
                                                            : "";
}

namespace {

void put_text(JsonWriter& out, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    out.key(key);
    out.string(text);
  }
}

void put_texts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) {
    return;
  }
  out.key(key);
  out.begin_array();
  for (const std::string& text : texts) {
    out.string(text);
  }
  out.end_array();
}

void put_number(JsonWriter& out, std::string_view key, std::int64_t value) {
  out.key(key);
  out.literal(std::to_string(value));
}

// What a newer version may have added.
void put_more(JsonWriter& out, const std::string& more) {
  if (more.empty()) {
    return;
  }
  Result<JsonTree> fields = read_json(more, k_record, k_max_record);
  for (const JsonMember& field : fields->members) {
    out.key(field.key);
    out.tree(field.value);
  }
}

void put_row(JsonWriter& out, const InstallRow& row) {
  put_text(out, "skill", row.skill);
  put_text(out, "scope", row.scope);
  put_text(out, "kind", k_kinds[static_cast<std::size_t>(row.source.kind)]);
  put_text(out, "source", row.source.name);
  put_text(out, "source_type", row.source.type);
  put_text(out, "address", row.source.address);
  put_text(out, "ref", row.source.ref);
  put_text(out, "folder", row.source.folder);
  put_text(out, "from", row.from);
  put_text(out, "commit", row.commit);
  put_text(out, "digest", row.digest);
  put_text(out, "base", row.base.hex());
  put_text(out, "renamed_from", row.renamed_from);
  put_texts(out, "agents", row.agents);
  if (row.links) {
    out.key("links");
    out.literal("true");
  }
  put_texts(out, "allowed", row.allowed);
  put_text(out, "held", row.held ? row.held->hex() : std::string());
  put_number(out, "installed_ms", row.installed_ms);
  put_number(out, "updated_ms", row.updated_ms);
}

void put_removed(JsonWriter& out, const RemovedRow& removed) {
  put_row(out, removed.row);
  put_text(out, "left", removed.left.hex());
  put_text(out, "lock_name", removed.lock_name);
  put_text(out, "lock_entry", removed.lock_entry);
  put_number(out, "removed_ms", removed.removed_ms);
  put_more(out, removed.more);
}

} // namespace

std::string InstallRecord::text() const {
  JsonWriter out;
  out.begin_object();
  out.key("version");
  out.literal(k_record_version);
  out.key("installed");
  out.begin_array();
  for (const auto& [key, row] : m_rows) {
    auto more = m_more.find(key);
    out.begin_object();
    put_row(out, row);
    put_more(out, more != m_more.end() ? more->second : std::string());
    out.end_object();
  }
  out.end_array();
  if (!m_removed.empty()) {
    out.key("removed");
    out.begin_array();
    for (const auto& [key, removed] : m_removed) {
      out.begin_object();
      put_removed(out, removed);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
  return out.take() + "\n";
}

Result<std::string> InstallRecord::checked_text() const {
  std::string text = this->text();
  std::string_view wrong;
  for (const auto& [key, row] : m_rows) {
    wrong = wrong.empty() ? wrong_in(row) : wrong;
  }
  for (const auto& [key, removed] : m_removed) {
    wrong = wrong.empty() ? wrong_in(removed.row) : wrong;
  }
  if (!wrong.empty()) {
    return fail(ErrorCode::corrupt,
                std::string(k_record) + " would have a row without a right " + in_backticks(wrong));
  }
  if (text.size() > k_max_record || !is_utf8(text)) {
    return fail(ErrorCode::corrupt, std::string(k_record) + " would be too large, or no UTF-8");
  }
  return text;
}

} // namespace upskill::install
