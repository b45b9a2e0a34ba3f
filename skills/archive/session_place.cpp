#include "protocol/base/hash.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/archive/intake.h"
#include "skills/archive/project_place.h"
#include "skills/archive/stored_form.h"
#include "skills/archive/whose_session.h"
#include "skills/store/trace_name.h"

#include <algorithm>
#include <array>

namespace upskill::archive {
namespace {

// Names of files that say nothing of whose session it is; then their folder's name does.
constexpr std::array<std::string_view, 6> k_plain_names{
    "events", "session", "history", "trace", "transcript", "export"};

std::string stem_of(std::string_view path) {
  std::string_view name = base_name(path);
  for (std::string_view end : {".zst", ".jsonl", ".json", ".md", ".txt"}) {
    if (name.size() > end.size() && name.ends_with(end)) {
      name.remove_suffix(end.size());
    }
  }
  return std::string(name);
}

// Of a session whose records do not tell its id.
std::string session_by_path(const std::string& path) {
  std::string stem = stem_of(path);
  bool is_plain = std::ranges::find(k_plain_names, stem) != k_plain_names.end();
  return is_plain ? std::string(base_name(parent_path(path))) + "-" + stem : stem;
}

} // namespace

// Why what is kept of a session stays as it is, although this file tells of it too; empty: it does
// not. The agent's own file counts more than what another program made of it.
Result<std::string> Intake::reason_to_leave(const store::SessionRow& row,
                                            const SessionSource& source) {
  if (row.source == m_source) {
    return std::string();
  }
  std::optional<trace::Format> kept = format_named(row.format);
  bool was_retold = kept && is_retold(*kept);
  bool is_retold_now = is_retold(source.format());
  if (is_retold_now && !was_retold) {
    return "the same session is kept as its agent wrote it"
           + (row.source.empty() ? std::string() : ", from " + in_backticks(row.source));
  }
  bool is_agents_own = was_retold && !is_retold_now;
  if (is_agents_own || row.source.empty() || !m_options.as_source.empty()) {
    return std::string();
  }
  TRY_ASSIGN(bool is_better, is_kept_from_better(row, source, m_path, m_stop));
  return is_better ? "the same session is kept from " + in_backticks(row.source) : std::string();
}

// What is kept says more than the file that took its place: it stays, as a session of its own.
Result<void> Intake::set_aside(const store::SessionRow& row) {
  store::SessionRow old = row;
  old.id = 0;
  old.session += "~" + std::to_string(row.updated_ms);
  old.source.clear();
  store::TraceStore& store = m_archive.m_store;
  TRY_ASSIGN(store::IndexText text, store.index_text(row.id));
  TRY_ASSIGN(std::vector<store::FindingRow> findings, store.findings(row.id));
  TRY_ASSIGN(old.id, store.put_session(old, text));
  return store.set_findings(old.id, findings);
}

// Two living files of one session that go on each for itself, as in copies of a folder, are two
// sessions: else they would set each other aside in turns.
std::string Intake::twin_of(const std::string& session) const {
  return session + "~" + sha256(m_source).brief(8);
}

bool Intake::has_twin(const store::SessionRow& row) const {
  std::optional<trace::Format> format = format_named(row.format);
  return row.source != m_source && format && !is_retold(*format)
         && identify(row.source).has_value();
}

// Its file tells of another session now: what was kept stays, and is of no file.
Result<void> Intake::let_go(store::SessionRow row) {
  row.source.clear();
  row.device = row.inode = 0;
  TRY(m_archive.m_store.put_session(row));
  return {};
}

// One that no other session has: a path may come to be another's, and a session that was replaced
// keeps what it has.
std::string Intake::object_name(const SessionSource& source, const store::SessionRow& row) const {
  std::string_view agent = m_options.agent.empty() ? enum_name(source.format()) : m_options.agent;
  Digest digest = sha256(m_source + '\n' + source.head_imprint().digest + '\n'
                         + std::to_string(row.updated_ms));
  return store::trace_object_name(agent, session_by_path(m_source) + "-" + digest.brief(16));
}

// Of a session whose records do not tell where it ran.
std::string Intake::project_of(const trace::SessionSummary& words,
                               const store::SessionRow& row) const {
  if (!words.cwd.empty() || !row.project.empty()) {
    return words.cwd.empty() ? row.project : words.cwd;
  }
  return project_by_place(words.harness, m_path);
}

// Of a session whose records do not tell its id. Files in several folders may have one name.
Result<std::string> Intake::session_by_place(const trace::SessionSummary& words) {
  std::string name = session_by_path(m_source);
  TRY_ASSIGN(std::optional<store::SessionRow> other,
             m_archive.m_store.find_key(store::session_key(words.harness, name, words.agent)));
  return other ? name + "-" + sha256(m_source).brief(8) : name;
}

} // namespace upskill::archive
