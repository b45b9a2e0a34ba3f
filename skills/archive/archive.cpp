#include "skills/archive/archive.h"

#include "protocol/base/paths.h"
#include "skills/archive/clean_reader.h"
#include "skills/archive/database_intake.h"
#include "skills/archive/intake.h"
#include "skills/archive/stored_form.h"

#include <memory>
#include <optional>
#include <utility>

namespace upskill::archive {

Result<Archive> Archive::open(ArchiveOptions options) {
  remove_copies(parent_path(options.database));
  TRY_ASSIGN(store::TraceObjects objects, store::TraceObjects::open(options.objects));
  TRY_ASSIGN(store::TraceStore store, store::TraceStore::open(options.database));
  store.show_only(options.rules.version()); // a secret of the new rules may be in the others
  return Archive(std::move(store), std::move(objects), std::move(options));
}

Result<std::vector<Kept>> Archive::keep(const std::string& path,
                                        const KeepOptions& options,
                                        std::int64_t now_ms,
                                        std::stop_token stop) {
  std::vector<Kept> kept;
  Intake intake(*this, path, options, now_ms, stop);
  Result<Kept> one = intake.run();
  if (!one && one.error().code == ErrorCode::unsupported) {
    return keep_database(*this, path, options, now_ms, std::move(stop));
  }
  TRY(one);
  kept.push_back(*std::move(one));
  return kept;
}

Result<Reading> Archive::read(const store::SessionRow& row,
                              std::uint64_t from,
                              trace::EventSink& sink,
                              std::stop_token stop) {
  std::optional<trace::Format> format = format_named(row.format);
  if (!format || row.object.empty()) {
    return fail(ErrorCode::not_found, "nothing is kept of this session");
  }
  if (row.object_size == 0) {
    return Reading{}; // it has only begun
  }
  bool is_clean = !row.is_raw && row.rules_version == m_rules.version();
  std::unique_ptr<trace::Reader> plain = trace::make_reader(*format);
  trace::ReadRecords as_kept(*plain, sink);
  std::optional<CleanReader> clean; // only where it is needed: the rules' working memory is large
  if (!is_clean) {
    clean.emplace(*format, m_rules, sink);
  }
  trace::RecordSink& reader = clean ? static_cast<trace::RecordSink&>(*clean) : as_kept;
  trace::RecordStream records(make_stored_splitter(*format), from);
  bool is_stopped = false;
  Result<std::uint64_t> size = m_objects.read(
      row.object, static_cast<std::uint64_t>(row.object_size), from, [&](std::string_view piece) {
        records.take(piece, reader);
        is_stopped = stop.stop_requested();
        return !is_stopped;
      });
  if (is_stopped) {
    return fail(ErrorCode::cancelled, "reading a session was cancelled");
  }
  records.finish(reader);
  if (clean) {
    clean->finish();
  }
  Reading reading{records.resume_offset()};
  if (!size) {
    reading.problem = std::move(size).error();
  }
  return reading;
}

Result<void> Archive::remove(const store::SessionRow& row, std::int64_t now_ms) {
  TRY(m_store.remove(row.id, now_ms));
  return row.object.empty() ? Result<void>() : m_objects.remove(row.object);
}

} // namespace upskill::archive
