#include "daemon/await.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/trace_source.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/trace_export/exporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_printed = 8u << 20; // bytes of an answer; a file may have any length

trace_export::ExportFormat format_of(TraceExportFormat format) {
  switch (format) {
  case TraceExportFormat::atif:
    return trace_export::ExportFormat::atif;
  case TraceExportFormat::markdown:
    return trace_export::ExportFormat::markdown;
  case TraceExportFormat::sts:
    break;
  }
  return trace_export::ExportFormat::sts;
}

// Where an export goes: a new file beside the one that is wanted, or an answer.
class Target {
public:
  explicit Target(std::string path)
      : m_path(std::move(path)) {}

  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  ~Target() {
    if (m_file) {
      ::unlink(m_staged.c_str());
    }
  }

  Result<void> open() {
    if (m_path.empty()) {
      return {};
    }
    TRY_ASSIGN(m_path, output_file(m_path));
    m_staged = m_path + ".upskill-XXXXXX";
    m_file = UniqueFd(::mkostemp(m_staged.data(), O_CLOEXEC));
    if (!m_file) {
      int failure = errno;
      return fail(system_error(failure, in_backticks(m_path)));
    }
    return {};
  }

  void write(std::string_view bytes) {
    m_size += bytes.size();
    if (!m_outcome) {
      return;
    }
    if (m_path.empty()) {
      if (m_size > k_most_printed) {
        m_outcome = fail(ErrorCode::too_large,
                         "the export is longer than 8 MiB",
                         "`-o FILE` writes it to a file");
      } else {
        text += bytes;
      }
      return;
    }
    while (!bytes.empty()) {
      ssize_t written = ::write(m_file.get(), bytes.data(), bytes.size());
      if (written < 0) {
        int failure = errno;
        m_outcome = fail(system_error(failure, in_backticks(m_path)));
        return;
      }
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  Result<void> finish() {
    TRY(m_outcome);
    if (m_path.empty()) {
      return {};
    }
    if (::rename(m_staged.c_str(), m_path.c_str()) != 0) {
      int failure = errno;
      return fail(system_error(failure, in_backticks(m_path)));
    }
    m_file.reset();
    return {};
  }

  bool has_failed() const { return !m_outcome; }

  std::size_t size() const { return m_size; }

  std::string text = {};

private:
  std::string m_path;
  std::string m_staged = {};
  UniqueFd m_file = {};
  std::size_t m_size = 0;
  Result<void> m_outcome = {};
};

// Hands on what the exporter wrote, record by record, so that nothing gathers.
class Passing : public trace::EventSink {
public:
  Passing(trace_export::Exporter& exporter, Target& target, std::stop_source& stop)
      : m_exporter(exporter)
      , m_target(target)
      , m_stop(stop) {}

  void take(const trace::Event& event) override {
    ++events;
    m_exporter.take(event);
    m_target.write(m_exporter.take_output());
    if (m_target.has_failed()) {
      m_stop.request_stop();
    }
  }

  std::int64_t events = 0;

private:
  trace_export::Exporter& m_exporter;
  Target& m_target;
  std::stop_source& m_stop;
};

// What the kept row tells of it, where not all formats do.
trace::SessionSummary known_of(const store::SessionRow& row) {
  trace::SessionSummary session;
  session.harness = row.harness;
  session.session = to_valid_utf8(row.session);
  session.agent = to_valid_utf8(row.agent);
  session.forked_from = row.forked_from;
  session.cwd = row.project;
  session.branch = row.branch;
  session.version = row.version;
  session.title = row.title;
  session.models = row.models;
  return session;
}

// Of a file: documents have their head at the end as likely as not, and some formats have none.
Result<trace::SessionSummary> known_of(archive::Archive& archive,
                                       const TraceSource& source,
                                       trace::Format format,
                                       const std::stop_token& stop) {
  trace::Summary summary(format);
  if (!trace::is_line_format(format)) {
    TRY(read_source(archive, source, summary, stop));
  }
  trace::SessionSummary session = summary.summary();
  if (session.session.empty()) {
    std::string_view name = base_name(source.path);
    session.session = to_valid_utf8(name.substr(0, name.find('.', 1)));
  }
  return session;
}

Result<TraceExportResult> write_export(archive::Archive& archive,
                                       const TraceExportParams& params,
                                       const RequestContext& context) {
  TRY_ASSIGN(TraceSource source, find_source(archive, params.id, context.caller.cwd));
  TRY_ASSIGN(trace::Format format, format_of(source));
  TraceExportResult result;
  result.format = params.format;
  result.id = source.path.empty() ? source.row.session : source.path;
  if (!params.output.empty() && params.output != "-") { // as for every program: to be printed
    result.output = normalized_path(params.output, context.caller.cwd);
  }
  // Always: what is kept may have been kept with its secrets, and texts may join to one.
  SecretFilter filter(archive.rules());
  auto exporter = trace_export::make_exporter(format_of(params.format), format, &filter);
  if (source.path.empty()) {
    exporter->know(known_of(source.row));
  } else {
    TRY_ASSIGN(trace::SessionSummary known, known_of(archive, source, format, context.stopping));
    exporter->know(std::move(known));
  }
  Target target(result.output);
  TRY(target.open());
  std::stop_source halt;
  std::stop_callback stop(context.stopping, [&halt] { halt.request_stop(); });
  Passing passing(*exporter, target, halt);
  Result<TraceReading> reading = read_source(archive, source, passing, halt.get_token());
  if (!reading && !target.has_failed()) {
    return fail(std::move(reading).error());
  }
  exporter->finish();
  target.write(exporter->take_output());
  TRY(target.finish());
  result.text = std::move(target.text);
  result.bytes = static_cast<std::int64_t>(target.size());
  result.events = passing.events;
  redact::Counts counts = source.path.empty() ? filter.counts() : reading->counts;
  result.redacted = counts.definite;
  result.warnings = std::move(reading->problems);
  std::vector<std::string> flagged;
  for (const redact::Counts::OfRule& of : counts.by_rule) {
    const redact::Rule& rule = archive.rules().rules()[of.rule];
    if (rule.confidence == redact::Confidence::candidate) {
      flagged.push_back(rule.id);
    }
  }
  for (const std::string& rule : flagged) {
    result.warnings.push_back("rule `" + rule + "` found what may be a secret; it is still there");
  }
  return result;
}

} // namespace

Awaitable<TraceExportResult>
export_trace(TraceRoom room, TraceExportParams params, RequestContext context) {
  auto work = [&](archive::Archive& archive) { return write_export(archive, params, context); };
  AWAIT(Result<TraceExportResult> result, room.desk.with(std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
