#include "protocol/base/bounds.h"
#include "skills/archive/intake.h"
#include "skills/archive/stored_form.h"
#include "skills/trace/record_stream.h"

#include <utility>

namespace upskill::archive {

// What is kept is read as a file would be, and written beside itself; the row decides which counts.
Result<void> Archive::scan_again(store::SessionRow row,
                                 Secrets secrets,
                                 std::int64_t now_ms,
                                 std::stop_token stop) {
  std::optional<trace::Format> format = format_named(row.format);
  if (!format || row.object.empty()) {
    return {}; // nothing is there to be scanned
  }
  trace::Summary summary(*format);
  redact::Counts counts;
  auto give = [&](const std::function<Result<void>(std::string_view)>& write) -> Result<void> {
    RecordIntake intake(*format, m_rules, secrets, summary, 0, write);
    trace::RecordStream records(make_stored_splitter(*format));
    auto take = [&](std::string_view piece) {
      records.take(piece, intake);
      return intake.outcome() && !stop.stop_requested();
    };
    // Of a session that has only begun there may be no object yet.
    if (row.object_size > 0) {
      TRY(m_objects.read(row.object, static_cast<std::uint64_t>(row.object_size), 0, take));
    }
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "scanning sessions again was cancelled");
    }
    records.finish(intake);
    TRY(intake.finish(UINT64_MAX));
    counts = intake.counts();
    return {};
  };
  TRY_ASSIGN(store::RewrittenObject rewritten, m_objects.rewrite(row.object, give));
  std::string before = std::exchange(row.object, rewritten.name);
  row.object_size = static_cast<std::int64_t>(rewritten.size);
  row.text_size = static_cast<std::int64_t>(rewritten.text_size);
  row.reader_version = k_reader_version;
  row.rules_version = m_rules.version();
  row.redacted += counts.definite;
  row.candidates = counts.candidates;
  row.is_raw = secrets == Secrets::kept;
  row.updated_ms = now_ms;
  if (Result<KeptState> state = read_state(row.state)) {
    state->summary = summary.saved();
    row.state = write_state(*state);
  }
  trace::SessionSummary words = summary.summary();
  words.harness = row.harness; // by which it is known
  words.session = row.session;
  words.agent = row.agent;
  words.cwd = words.cwd.empty() ? row.project : words.cwd; // by where its file lay
  describe(row, words, m_price);
  store::IndexText text{std::move(words.index.title),
                        std::move(words.index.prompts),
                        std::move(words.index.answers),
                        std::move(words.index.work)};
  auto commit = [&]() -> Result<void> {
    TRY_ASSIGN(store::Transaction transaction, m_store.begin());
    TRY_ASSIGN(std::int64_t id, m_store.put_session(row, text));
    TRY(m_store.set_findings(id, add_findings({}, counts, m_rules)));
    return transaction.commit();
  };
  Result<void> committed = commit();
  TRY(m_objects.remove(committed ? before : row.object));
  return committed;
}

// Without `secrets`: as it is kept now. Only being stopped is an error.
Result<void> Archive::scan_one(std::int64_t id,
                               std::optional<Secrets> secrets,
                               std::int64_t now_ms,
                               const std::stop_token& stop,
                               Repaired& repaired) {
  TRY_ASSIGN(std::optional<store::SessionRow> row, m_store.find(id));
  if (!row) {
    return {};
  }
  ++repaired.sessions;
  repaired.last = id;
  Secrets as_it_is = row->is_raw ? Secrets::kept : Secrets::removed;
  Result<void> scanned = scan_again(*std::move(row), secrets.value_or(as_it_is), now_ms, stop);
  if (!scanned && scanned.error().code == ErrorCode::cancelled) {
    return scanned;
  }
  if (!scanned) {
    repaired.problems.push_back(scanned.error().message);
  }
  return {};
}

Result<Repaired>
Archive::repair(std::int64_t after, std::size_t limit, std::int64_t now_ms, std::stop_token stop) {
  TRY_ASSIGN(std::vector<store::SessionRow> rows,
             m_store.list_outdated(k_reader_version, m_rules.version(), after, limit));
  Repaired repaired;
  for (const store::SessionRow& listed : rows) {
    TRY(scan_one(listed.id, std::nullopt, now_ms, stop, repaired));
  }
  return repaired;
}

Result<Repaired>
Archive::clean_raw(std::int64_t before_ms, std::int64_t now_ms, std::stop_token stop) {
  Repaired cleaned;
  std::optional<store::SessionPosition> after;
  while (true) {
    TRY_ASSIGN(std::vector<store::SessionRow> rows, m_store.list({}, after, k_max_page));
    for (const store::SessionRow& listed : rows) {
      after = store::SessionPosition{listed.active_ms(), listed.id};
      if (listed.is_raw && listed.updated_ms < before_ms) {
        TRY(scan_one(listed.id, Secrets::removed, now_ms, stop, cleaned));
      }
    }
    if (rows.size() < k_max_page) {
      return cleaned;
    }
  }
}

} // namespace upskill::archive
