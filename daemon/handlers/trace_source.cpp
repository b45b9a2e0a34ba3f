#include "daemon/handlers/trace_source.h"

#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/archive/clean_reader.h"
#include "skills/archive/session_source.h"
#include "skills/archive/stored_form.h"
#include "skills/trace/read_file.h"

#include <sys/stat.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

bool is_file(const std::string& path) {
  struct stat status {};

  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

} // namespace

void SecretFilter::clean(std::string& text) {
  m_redactor.scan(text, m_found);
  m_borders.take(text, m_found);
  bool is_clean = true;
  redact::Counts counts;
  for (const redact::Finding& one : m_found) {
    redact::Confidence confidence = rules().rules()[one.rule].confidence;
    is_clean = is_clean && confidence != redact::Confidence::definite;
    counts.add(one.rule, confidence);
  }
  m_counts += is_clean ? counts : m_redactor.redact(text);
}

std::vector<std::string> flagged_in(std::string& text,
                                    const redact::RuleSet& rules,
                                    const std::vector<std::string>& allowed) {
  redact::Counts counts = redact::redact_text(text, rules);
  std::vector<std::string> flagged;
  for (const redact::Counts::OfRule& of : counts.by_rule) {
    const redact::Rule& rule = rules.rules()[of.rule];
    if (rule.confidence == redact::Confidence::candidate
        && std::ranges::find(allowed, rule.id) == allowed.end()) {
      flagged.push_back(rule.id);
    }
  }
  return flagged;
}

Result<TraceSource>
find_source(archive::Archive& archive, const std::string& name, const std::string& cwd) {
  TraceSource source{name};
  if (name.empty()) {
    return fail(
        ErrorCode::invalid_argument, "no session is named", "`upskill trace list` has their ids");
  }
  std::string path = normalized_path(name, cwd.empty() ? "/" : cwd);
  bool is_path = name.find('/') != std::string::npos;
  Result<store::SessionRow> row = archive.store().find_named(name);
  if (row) {
    source.row = *std::move(row);
    return source;
  }
  if (is_file(path) || (is_path && row.error().code == ErrorCode::not_found)) {
    source.path = path;
    return source;
  }
  return fail(std::move(row).error());
}

Result<trace::Format> format_of(const TraceSource& source) {
  if (source.path.empty()) {
    std::optional<trace::Format> format = archive::format_named(source.row.format);
    return format ? Result<trace::Format>(*format)
                  : fail(ErrorCode::unsupported,
                         "this session was kept by another version of upskilld");
  }
  TRY_ASSIGN(archive::SessionSource file, archive::SessionSource::open(source.path));
  if (file.format() == trace::Format::opencode_database) {
    return fail(ErrorCode::unsupported,
                in_backticks(source.path) + " holds many sessions",
                "`upskill trace import` takes them; then name one of them by its id");
  }
  if (std::optional<std::string_view> why = trace::why_no_trace(file.head(), file.format())) {
    return fail(ErrorCode::unsupported,
                in_backticks(source.path) + " is no session: " + std::string(*why));
  }
  return file.format();
}

namespace {

Result<TraceReading> read_kept(archive::Archive& archive,
                               const TraceSource& source,
                               trace::EventSink& sink,
                               std::stop_token stop) {
  TraceReading reading;
  reading.format = source.row.format;
  reading.bytes = static_cast<std::uint64_t>(source.row.text_size);
  TRY_ASSIGN(archive::Reading read, archive.read(source.row, 0, sink, std::move(stop)));
  if (read.problem) {
    reading.problems.push_back(read.problem->message);
  }
  return reading;
}

TraceReading told(const trace::FileRead& read) {
  TraceReading reading;
  reading.format = enum_name(read.format);
  reading.bytes = read.size;
  for (const Error& problem : read.problems) {
    reading.problems.push_back(problem.message);
  }
  return reading;
}

} // namespace

Result<TraceReading> read_source(archive::Archive& archive,
                                 const TraceSource& source,
                                 trace::EventSink& sink,
                                 std::stop_token stop) {
  if (source.path.empty()) {
    return read_kept(archive, source, sink, std::move(stop));
  }
  std::optional<archive::CleanReader> clean;
  auto sink_of = [&](trace::Format format) -> trace::RecordSink& {
    return clean.emplace(format, archive.rules(), sink);
  };
  TRY_ASSIGN(trace::FileRead read,
             trace::read_trace_records(source.path, std::nullopt, 0, sink_of, std::move(stop)));
  TraceReading reading = told(read);
  if (clean) {
    clean->finish();
    reading.counts = clean->counts();
  }
  return reading;
}

Result<TraceReading> read_source_raw(archive::Archive& archive,
                                     const TraceSource& source,
                                     trace::EventSink& sink,
                                     std::stop_token stop) {
  if (source.path.empty()) {
    return read_kept(archive, source, sink, std::move(stop));
  }
  TRY_ASSIGN(trace::FileRead read,
             trace::read_trace_file(source.path, std::nullopt, 0, sink, std::move(stop)));
  return told(read);
}

} // namespace upskill::daemon
