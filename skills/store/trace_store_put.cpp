#include "protocol/base/utf8.h"
#include "skills/store/record_fields.h"
#include "skills/store/trace_columns.h"
#include "skills/store/trace_name.h"
#include "skills/store/trace_store.h"
#include "skills/store/trace_text.h"
#include "skills/store/trace_words.h"

#include <algorithm>
#include <map>

namespace upskill::store {
namespace {

Result<void> check_length(std::string_view what, std::size_t size, std::size_t most) {
  if (size > most) {
    return fail(ErrorCode::too_large,
                "the " + std::string(what) + " of a session has " + std::to_string(size)
                    + " bytes, the most is " + std::to_string(most));
  }
  return {};
}

Result<void> check(const SessionRow& row) {
  if (row.harness.empty() || row.session.empty()) {
    return fail(ErrorCode::invalid_argument, "a session without harness or id cannot be kept");
  }
  const std::pair<std::string_view, const std::string*> names[] = {
      {"harness", &row.harness},
      {"id", &row.session},
      {"agent", &row.agent},
      {"origin", &row.forked_from},
      {"format", &row.format},
      {"object", &row.object},
      {"rules' version", &row.rules_version},
      {"first record", &row.first_id},
  };
  for (const auto& [what, name] : names) {
    TRY(check_length(what, name->size(), k_max_trace_name));
  }
  TRY(check_length("source", row.source.size(), k_max_trace_path));
  TRY(check_length("project", row.project.size(), k_max_trace_path));
  return check_length("state", row.state.size(), k_max_trace_state);
}

// What is only shown: cut where it is too long.
std::string label_of(std::string_view text) {
  return std::string(
      utf8_prefix(to_valid_utf8(utf8_prefix(text, k_max_trace_label)), k_max_trace_label));
}

std::string encode_models(const std::vector<std::string>& models) {
  std::string record;
  for (std::size_t i = 0; i < std::min(models.size(), k_max_trace_list); ++i) {
    std::string model = label_of(models[i]);
    std::ranges::replace(model, '\0', ' ');
    put_field(record, model);
  }
  return record;
}

} // namespace

Result<SessionRow> session_of(const Statement& row) {
  auto text = [&row](int column) { return std::string(row.text(column)); };
  auto number = [&row](int column) {
    return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
  };
  SessionRow session{
      .id = row.integer(0),
      .harness = text(1),
      .session = text(2),
      .agent = text(3),
      .forked_from = text(4),
      .format = text(5),
      .source = text(6),
      // SQLite's integers are signed; the bits are kept.
      .device = static_cast<std::uint64_t>(row.integer(7)),
      .inode = static_cast<std::uint64_t>(row.integer(8)),
      .source_size = row.integer(9),
      .resume_offset = row.integer(10),
      .object = text(11),
      .object_size = row.integer(12),
      .text_size = row.integer(13),
      .reader_version = row.integer(14),
      .rules_version = text(15),
      .project = text(16),
      .branch = text(17),
      .title = text(18),
      .version = text(19),
      .started_ms = number(21),
      .ended_ms = number(22),
      .updated_ms = row.integer(23),
      .imported_ms = row.integer(24),
      .counts = {.records = row.integer(25),
                 .prompts = row.integer(26),
                 .answers = row.integer(27),
                 .tool_calls = row.integer(28),
                 .errors = row.integer(29),
                 .interrupts = row.integer(30),
                 .corrections = row.integer(31),
                 .unknown = row.integer(32),
                 .unreadable = row.integer(33)},
      .tokens = {.input = number(34),
                 .output = number(35),
                 .cache_read = number(36),
                 .cache_write = number(37),
                 .cost = row.is_null(38) ? std::nullopt : std::optional(row.real(38))},
      .outcome = text(39),
      .redacted = row.integer(40),
      .candidates = row.integer(41),
      .first_id = text(42),
      .is_raw = row.integer(43) != 0};
  FieldReader models(row.blob(20));
  while (!models.at_end()) {
    session.models.emplace_back(models.text());
  }
  if (models.damaged()) {
    return fail(ErrorCode::corrupt,
                "the models of session `" + std::to_string(session.id) + "` cannot be read");
  }
  return session;
}

Result<std::int64_t> TraceStore::put_session(const SessionRow& row,
                                             const std::optional<IndexText>& text) {
  TRY(check(row));
  std::string key = session_key(row.harness, row.session, row.agent);
  TRY_ASSIGN(Transaction transaction, begin());
  TRY(write_row(row, key));
  std::int64_t id = 0;
  {
    TRY_ASSIGN(Statement found,
               m_database.query("SELECT id FROM sessions WHERE key = ?", std::string_view(key)));
    TRY(found.step());
    id = found.integer(0);
  }
  std::string state;
  TRY(m_frames.append_frame(state, row.state)); // it quotes what it indexes, twice over
  TRY(m_database.run(
      "INSERT OR REPLACE INTO session_states (session, state) VALUES (?, ?)", id, Blob{state}));
  TRY(write_lists(id, row));
  if (text) {
    TRY(write_text(id, bounded_text(*text)));
  }
  TRY(m_database.run("DELETE FROM purged WHERE key = ?", std::string_view(key)));
  TRY(transaction.commit());
  return id;
}

Result<void> TraceStore::write_row(const SessionRow& row, const std::string& key) {
  std::optional<Real> cost;
  if (row.tokens.cost) {
    cost = Real{*row.tokens.cost};
  }
  return m_database.run(
      "INSERT INTO sessions (key, harness, session, agent, forked_from, format,"
      " source, device, inode, source_size, resume_offset, object, object_size, text_size,"
      " reader_version, rules_version, project, branch, title, version, models, started_ms,"
      " ended_ms, updated_ms, imported_ms, records, prompts, answers, tool_calls, errors,"
      " interrupts, corrections, unknown, unreadable, input_tokens, output_tokens,"
      " cache_read_tokens, cache_write_tokens, cost, outcome, redacted, candidates, first_id,"
      " is_raw, active_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
      " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (key) DO UPDATE SET harness = excluded.harness, session = excluded.session,"
      " agent = excluded.agent,"
      " forked_from = excluded.forked_from, format = excluded.format, source = excluded.source,"
      " device = excluded.device, inode = excluded.inode, source_size = excluded.source_size,"
      " resume_offset = excluded.resume_offset, object = excluded.object,"
      " object_size = excluded.object_size, text_size = excluded.text_size,"
      " reader_version = excluded.reader_version, rules_version = excluded.rules_version,"
      " project = excluded.project, branch = excluded.branch, title = excluded.title,"
      " version = excluded.version, models = excluded.models, started_ms = excluded.started_ms,"
      " ended_ms = excluded.ended_ms, updated_ms = excluded.updated_ms,"
      " records = excluded.records, prompts = excluded.prompts, answers = excluded.answers,"
      " tool_calls = excluded.tool_calls, errors = excluded.errors,"
      " interrupts = excluded.interrupts, corrections = excluded.corrections,"
      " unknown = excluded.unknown, unreadable = excluded.unreadable,"
      " input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,"
      " cache_read_tokens = excluded.cache_read_tokens,"
      " cache_write_tokens = excluded.cache_write_tokens, cost = excluded.cost,"
      " outcome = excluded.outcome, redacted = excluded.redacted,"
      " candidates = excluded.candidates, first_id = excluded.first_id,"
      " is_raw = excluded.is_raw, active_ms = excluded.active_ms",
      std::string_view(key),
      row.harness,
      row.session,
      row.agent,
      row.forked_from,
      row.format,
      row.source,
      static_cast<std::int64_t>(row.device),
      static_cast<std::int64_t>(row.inode),
      row.source_size,
      row.resume_offset,
      row.object,
      row.object_size,
      row.text_size,
      row.reader_version,
      row.rules_version,
      row.project,
      std::string_view(label_of(row.branch)),
      std::string_view(label_of(row.title)),
      std::string_view(label_of(row.version)),
      Blob{encode_models(row.models)},
      row.started_ms,
      row.ended_ms,
      row.updated_ms,
      row.imported_ms,
      row.counts.records,
      row.counts.prompts,
      row.counts.answers,
      row.counts.tool_calls,
      row.counts.errors,
      row.counts.interrupts,
      row.counts.corrections,
      row.counts.unknown,
      row.counts.unreadable,
      row.tokens.input,
      row.tokens.output,
      row.tokens.cache_read,
      row.tokens.cache_write,
      cost,
      std::string_view(label_of(row.outcome)),
      row.redacted,
      row.candidates,
      row.first_id,
      std::int64_t{row.is_raw},
      row.active_ms());
}

// A name that comes twice, as when it is cut, counts together.
Result<void> TraceStore::write_lists(std::int64_t id, const SessionRow& row) {
  std::map<std::string, std::int64_t> skills;
  for (const SessionSkill& skill : row.skills) {
    if (skills.size() < k_max_trace_list) {
      skills[label_of(skill.skill)] += skill.uses;
    }
  }
  std::map<std::string, SessionTool> tools;
  for (const SessionTool& tool : row.tools) {
    if (tools.size() < k_max_trace_list) {
      SessionTool& sum = tools[label_of(tool.tool)];
      sum.calls += tool.calls;
      sum.errors += tool.errors;
    }
  }
  TRY(m_database.run("DELETE FROM session_skills WHERE session = ?", id));
  for (const auto& [skill, uses] : skills) {
    TRY(m_database.run("INSERT INTO session_skills (session, skill, uses) VALUES (?, ?, ?)",
                       id,
                       std::string_view(skill),
                       uses));
  }
  TRY(m_database.run("DELETE FROM session_tools WHERE session = ?", id));
  for (const auto& [tool, sum] : tools) {
    TRY(m_database.run("INSERT INTO session_tools (session, tool, calls, errors)"
                       " VALUES (?, ?, ?, ?)",
                       id,
                       std::string_view(tool),
                       sum.calls,
                       sum.errors));
  }
  return {};
}

Result<void> TraceStore::write_text(std::int64_t id, const IndexText& text) {
  TRY_ASSIGN(std::string bytes, encode_text(text, m_frames));
  {
    // A session that was looked at and has not changed costs nothing.
    TRY_ASSIGN(
        Statement same,
        m_database.query("SELECT 1 FROM texts WHERE session = ? AND text = ?", id, Blob{bytes}));
    TRY_ASSIGN(bool is_same, same.step());
    if (is_same) {
      return {};
    }
  }
  TRY(unindex(id));
  TRY(m_database.run("INSERT INTO texts (session, text) VALUES (?, ?)", id, Blob{bytes}));
  return m_database.run("INSERT INTO session_words (rowid, title, prompts, answers, work)"
                        " VALUES (?, ?, ?, ?, ?)",
                        id,
                        std::string_view(index_form(text.title)),
                        std::string_view(index_form(text.prompts)),
                        std::string_view(index_form(text.answers)),
                        std::string_view(index_form(text.work)));
}

// The index holds no texts: it is told what it has, to take it out.
Result<void> TraceStore::unindex(std::int64_t id) {
  Result<IndexText> text = index_text(id);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? Result<void>{} : fail(text.error());
  }
  TRY(m_database.run("INSERT INTO session_words (session_words, rowid, title, prompts, answers,"
                     " work) VALUES ('delete', ?, ?, ?, ?, ?)",
                     id,
                     std::string_view(index_form(text->title)),
                     std::string_view(index_form(text->prompts)),
                     std::string_view(index_form(text->answers)),
                     std::string_view(index_form(text->work))));
  return m_database.run("DELETE FROM texts WHERE session = ?", id);
}

Result<IndexText> TraceStore::index_text(std::int64_t id) {
  TRY_ASSIGN(Statement row, m_database.query("SELECT text FROM texts WHERE session = ?", id));
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return fail(ErrorCode::not_found, "nothing is indexed of session `" + std::to_string(id) + "`");
  }
  return decode_text(row.blob(0));
}

} // namespace upskill::store
