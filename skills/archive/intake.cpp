#include "skills/archive/intake.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/archive/whose_session.h"
#include "skills/store/trace_name.h"

#include <algorithm>
#include <utility>

namespace upskill::archive {
namespace {

Error stopped(const std::string& path) {
  return {ErrorCode::cancelled, "reading " + in_backticks(path) + " was cancelled"};
}

} // namespace

Result<Kept> Intake::run() {
  TRY_ASSIGN(std::optional<store::SessionRow> row, find_by_path());
  if (row && !m_options.is_forced) {
    // Most files of a walk have not changed: they are not even opened.
    Result<FileIdentity> identity = identify(m_path);
    if (identity && is_unchanged(*row, as_known(*identity))) {
      Kept kept{KeepState::unchanged, *std::move(row)};
      return kept;
    }
  }
  TRY_ASSIGN(SessionSource source, SessionSource::open(m_path));
  if (source.format() == trace::Format::opencode_database) {
    return fail(ErrorCode::unsupported, in_backticks(m_path) + " is a database of sessions");
  }
  Kept skipped;
  skipped.row.source = m_source;
  if (!is_trace(source, skipped.reason)) {
    return skipped;
  }
  TRY_ASSIGN(trace::SessionSummary words,
             words_of(source, m_path, m_options.agent, m_options.waits_for_folder, m_stop));
  if (!m_options.is_named) {
    TRY_ASSIGN(bool is_gone, is_purged(source.identity(), words));
    if (is_gone) {
      skipped.reason = "it was purged; naming the file brings it back";
      return skipped;
    }
  }
  if (row && row->session == twin_of(words.session)) {
    words.session = row->session;
  }
  words.cwd = project_of(words, row.value_or(store::SessionRow()));
  const std::string& folder = row && !row->project.empty() ? row->project : words.cwd;
  if (m_options.waits_for_folder && folder.empty() && tells_its_folder(source.format())) {
    skipped.reason = "it does not say yet where it runs";
    return skipped;
  }
  if (m_options.is_wanted && !m_options.is_wanted(words.harness, folder)) {
    skipped.reason = "its sessions are not captured";
    return skipped;
  }
  if (!row) {
    TRY_ASSIGN(row, find_by_words(words));
  }
  if (!row) {
    return read(source, {}, std::nullopt);
  }
  TRY_ASSIGN(skipped.reason, reason_to_leave(*row, source));
  if (!skipped.reason.empty()) {
    skipped.row = *std::move(row);
    return skipped;
  }
  KeptState state;
  TRY_ASSIGN(Standing standing, standing_of(source, *row, state));
  if (standing == Standing::grown) {
    Result<Kept> grown = read(source, *row, std::move(state));
    // What is kept has gone or lost its end, with the power perhaps, or its end is now known for
    // the beginning of a secret: the file still has all of it.
    bool is_lost =
        !grown
        && (grown.error().code == ErrorCode::corrupt || grown.error().code == ErrorCode::not_found
            || grown.error().code == ErrorCode::changed);
    if (!is_lost) {
      return grown;
    }
    standing = Standing::anew;
  }
  if (standing == Standing::replaced && has_twin(*row)) {
    m_is_twin = true;
    TRY_ASSIGN(source, SessionSource::open(m_path));
    return read(source, {}, std::nullopt);
  }
  bool is_rewritten = standing == Standing::replaced || !trace::is_line_format(source.format());
  if (is_rewritten && !words.session.empty() && key_of(words) != key_of(*row)) {
    if (!m_options.is_rehearsal) {
      TRY(let_go(*std::move(row)));
      return run();
    }
    row.emplace();
  } else if (standing == Standing::replaced && !m_options.is_rehearsal) {
    m_aside = *row;
    row->object.clear(); // it is the other one's
  }
  TRY_ASSIGN(source, SessionSource::open(m_path));
  return read(source, *std::move(row), std::nullopt);
}

Result<std::optional<store::SessionRow>> Intake::find_by_path() {
  TRY_ASSIGN(std::vector<store::SessionRow> rows, m_archive.m_store.find_by_source(m_source));
  if (rows.empty()) {
    return std::nullopt;
  }
  return m_archive.m_store.find(rows.back().id);
}

// A file that was moved or compressed is known by the session that it tells of.
Result<std::optional<store::SessionRow>> Intake::find_by_words(const trace::SessionSummary& words) {
  if (words.session.empty()) {
    return std::nullopt;
  }
  return m_archive.m_store.find_key(key_of(words));
}

// A session of a database has neither a file nor a size of its own.
FileIdentity Intake::as_known(FileIdentity identity) const {
  return m_options.as_changed_ms ? FileIdentity{0, 0, 0, *m_options.as_changed_ms} : identity;
}

Result<std::optional<Kept>> Intake::find_unchanged() {
  TRY_ASSIGN(std::optional<store::SessionRow> row, find_by_path());
  if (!row || m_options.is_forced || !is_unchanged(*row, as_known({}))) {
    return std::nullopt;
  }
  return Kept{KeepState::unchanged, *std::move(row)};
}

bool Intake::is_unchanged(const store::SessionRow& row, const FileIdentity& identity) const {
  Result<KeptState> state = read_state(row.state);
  return state && row.source_size == identity.size && row.device == identity.device
         && row.inode == identity.inode && state->changed_ms == identity.changed_ms
         && is_current(row);
}

bool Intake::is_current(const store::SessionRow& row) const {
  return row.reader_version == k_reader_version && row.rules_version == m_archive.m_rules.version()
         && row.is_raw == (m_options.secrets == Secrets::kept) && !row.object.empty()
         && (row.object_size == 0 || m_archive.m_objects.contains(row.object));
}

bool Intake::is_trace(const SessionSource& source, std::string& reason) const {
  if (std::optional<std::string_view> why = trace::why_no_trace(source.head(), source.format())) {
    reason = *why;
    return false;
  }
  bool is_known = source.format() != trace::Format::text && source.format() != trace::Format::json;
  if (!is_known && !m_options.is_named) {
    reason = "it has no form of a session that is known; naming the file takes it as text";
    return false;
  }
  return true;
}

// Whether a person removed it, and it has not gone on since; also where it has moved.
Result<bool> Intake::is_purged(const FileIdentity& identity, const trace::SessionSummary& words) {
  store::TraceStore& store = m_archive.m_store;
  TRY_ASSIGN(std::optional<store::PurgedMark> mark, store.was_source_purged(m_source));
  bool has_moved = !mark && !words.session.empty();
  if (has_moved) {
    TRY_ASSIGN(mark, store.was_purged(key_of(words)));
  }
  if (!mark) {
    return false;
  }
  if (m_options.as_changed_ms) {
    return *m_options.as_changed_ms <= mark->purged_ms;
  }
  // Moved, it may be compressed.
  return has_moved ? identity.size <= mark->source_size : identity.size == mark->source_size;
}

// Where it is `grown`, `source` stands where reading ended.
Result<Intake::Standing>
Intake::standing_of(SessionSource& source, const store::SessionRow& row, KeptState& state) {
  if (row.format != enum_name(source.format())) {
    return Standing::replaced; // it may hold less, however long it is
  }
  if (!trace::is_line_format(source.format())) {
    // A program that goes on with a document writes it anew; a shorter one is not that, but cut, or
    // a copy from before.
    TRY_ASSIGN(std::uint64_t length, length_of(m_path, m_stop));
    // But a program that keeps a database gives sessions other titles.
    std::size_t title = m_options.as_changed_ms ? row.title.size() : 0;
    bool is_less = static_cast<std::uint64_t>(row.resume_offset) > length + title + 1;
    return is_less ? Standing::replaced : Standing::anew;
  }
  Result<KeptState> read = read_state(row.state);
  if (!read) {
    return Standing::anew;
  }
  state = *std::move(read);
  if (!source.begins_as(state.head)) {
    return Standing::replaced;
  }
  Result<void> resumed =
      source.resume(static_cast<std::uint64_t>(row.resume_offset), state.tail, m_stop);
  if (!resumed && resumed.error().code == ErrorCode::changed) {
    return Standing::replaced;
  }
  TRY(resumed);
  return m_options.is_forced || !is_current(row) ? Standing::anew : Standing::grown;
}

Result<Kept>
Intake::read(SessionSource& source, store::SessionRow row, std::optional<KeptState> state) {
  trace::Format format = source.format();
  std::string replaced = state ? std::string() : row.object;
  if (!state) {
    row.object = replaced.empty() ? object_name(source, row) : store::next_object_name(replaced);
    row.object_size = row.text_size = row.resume_offset = 0;
    row.redacted = row.candidates = 0;
  }
  trace::Summary summary(format);
  if (state) {
    TRY_ASSIGN(summary, trace::Summary::restored(state->summary, format));
  }
  Kept kept{row.id == 0 ? KeepState::imported : KeepState::updated, std::move(row)};
  std::int64_t first_offset = kept.row.resume_offset;
  auto store = [&](std::string_view text) -> Result<void> {
    if (!m_options.is_rehearsal) {
      TRY_ASSIGN(std::uint64_t size,
                 m_archive.m_objects.append(
                     kept.row.object, text, static_cast<std::uint64_t>(kept.row.object_size)));
      kept.row.object_size = static_cast<std::int64_t>(size);
    }
    kept.row.text_size += static_cast<std::int64_t>(text.size());
    return {};
  };
  RecordIntake intake(format,
                      m_archive.m_rules,
                      m_options.secrets,
                      summary,
                      static_cast<std::uint64_t>(kept.row.text_size),
                      store);
  if (state) {
    intake.prime(source.passed());
  }
  TRY(read_records(source, kept, intake));
  if (intake.goes_on_from_primed()) {
    return fail(ErrorCode::changed, "a secret goes on from what was read before");
  }
  Imprint tail = state ? state->tail : Imprint{};
  kept.row.state = write_state({state ? state->head : source.head_imprint(),
                                intake.tail().value_or(tail),
                                as_known(source.identity()).changed_ms,
                                summary.saved()});
  FileIdentity identity = as_known(source.identity());
  kept.row.device = identity.device;
  kept.row.inode = identity.inode;
  kept.row.source_size = identity.size;
  kept.row.format = enum_name(format);
  kept.events = intake.events();
  trace::SessionSummary words = summary.summary();
  if (words.session.empty() && tells_its_session(format)) {
    return Kept{.reason = "nothing in it says whose session it is"};
  }
  words.harness = harness_or(words.harness, m_options.agent, format);
  words.cwd = project_of(words, kept.row);
  if (m_is_twin || kept.row.session == twin_of(words.session)) {
    words.session = twin_of(words.session);
  }
  if (words.session.empty()) {
    words.session = kept.row.session;
  }
  if (words.session.empty()) {
    TRY_ASSIGN(words.session, session_by_place(words));
  }
  if (state && first_offset == kept.row.resume_offset) {
    kept.state = KeepState::unchanged; // only the time of the file, or half a line
  }
  TRY(commit(kept, std::move(words), intake.counts()));
  if (!replaced.empty() && !m_options.is_rehearsal) {
    TRY(m_archive.m_objects.remove(replaced));
  }
  return kept;
}

Result<void> Intake::read_records(SessionSource& source, Kept& kept, RecordIntake& intake) {
  auto base = static_cast<std::uint64_t>(kept.row.resume_offset);
  trace::RecordStream records(trace::make_splitter(source.format()), base);
  while (true) {
    if (m_stop.stop_requested()) {
      return fail(stopped(m_path));
    }
    Result<std::size_t> got = source.read(records.room(trace::k_read_size));
    if (!got) {
      kept.reason = got.error().message;
    }
    if (!got || *got == 0) {
      break;
    }
    kept.bytes += *got;
    records.commit(*got, intake);
    TRY(intake.outcome());
  }
  records.finish(intake);
  // What is no lines is read anew when it changes, so its end is as settled as it will be.
  std::uint64_t resume =
      trace::is_line_format(source.format()) ? records.resume_offset() : base + kept.bytes + 1;
  TRY(intake.finish(resume));
  kept.row.resume_offset = static_cast<std::int64_t>(resume);
  return {};
}

Result<void> Intake::commit(Kept& kept, trace::SessionSummary words, const redact::Counts& counts) {
  store::SessionRow& row = kept.row;
  describe(row, words, m_archive.m_price);
  kept.redacted = counts.definite;
  row.redacted += counts.definite;
  row.candidates += counts.candidates;
  row.source = m_source;
  row.reader_version = k_reader_version;
  row.rules_version = m_archive.m_rules.version();
  row.updated_ms = m_now_ms;
  row.imported_ms = row.imported_ms == 0 ? m_now_ms : row.imported_ms;
  row.is_raw = m_options.secrets == Secrets::kept;
  bool is_whole = row.candidates == counts.candidates; // nothing of it was read before
  store::TraceStore& store = m_archive.m_store;
  std::vector<store::FindingRow> before;
  if (row.id != 0 && !is_whole) {
    TRY_ASSIGN(before, store.findings(row.id));
  }
  std::vector<store::FindingRow> findings =
      add_findings(std::move(before), counts, m_archive.m_rules);
  if (m_options.is_rehearsal) {
    for (const store::FindingRow& finding : findings) {
      kept.flagged.push_back(finding.rule);
    }
    return {};
  }
  store::IndexText text{std::move(words.index.title),
                        std::move(words.index.prompts),
                        std::move(words.index.answers),
                        std::move(words.index.work)};
  TRY_ASSIGN(store::Transaction transaction, store.begin());
  if (m_aside) {
    TRY(set_aside(*m_aside));
  }
  TRY_ASSIGN(row.id, store.put_session(row, text));
  TRY(store.set_findings(row.id, findings));
  TRY_ASSIGN(kept.flagged, store.blocked(row.id));
  return transaction.commit();
}

} // namespace upskill::archive
