#include "skills/archive/whose_session.h"

#include "protocol/base/utf8.h"
#include "skills/store/trace_name.h"
#include "skills/trace/harness.h"
#include "skills/trace/parser.h"
#include "skills/trace/record_stream.h"

#include <utility>

namespace upskill::archive {
namespace {

constexpr std::size_t k_length_step = 1u << 20; // between looks at whether to stop

// The file of a session that a database holds: `PATH#ID`.
std::string database_of(const store::SessionRow& row) {
  bool is_of_database = row.inode == 0 && row.source_size == 0;
  std::size_t at = is_of_database ? row.source.rfind('#') : std::string::npos;
  return at == std::string::npos ? std::string() : row.source.substr(0, at);
}

} // namespace

bool is_retold(trace::Format format) {
  switch (format) {
  case trace::Format::markdown:
  case trace::Format::specstory:
  case trace::Format::sts:
  case trace::Format::atif:
  case trace::Format::json:
  case trace::Format::text:
    return true;
  default:
    return false;
  }
}

bool tells_its_session(trace::Format format) {
  switch (format) {
  case trace::Format::claude:
  case trace::Format::codex:
  case trace::Format::gemini:
  case trace::Format::copilot:
  case trace::Format::pi:
    return true;
  default:
    return false;
  }
}

bool tells_its_folder(trace::Format format) {
  switch (format) {
  case trace::Format::claude:
  case trace::Format::codex:
  case trace::Format::copilot:
  case trace::Format::pi:
    return true;
  default:
    return false;
  }
}

std::string harness_or(const std::string& told, const std::string& agent, trace::Format format) {
  if (!told.empty()) {
    return told;
  }
  return !agent.empty() ? agent : std::string(enum_name(format));
}

std::string key_of(const trace::SessionSummary& words) {
  return store::session_key(words.harness, words.session, words.agent);
}

std::string key_of(const store::SessionRow& row) {
  return store::session_key(row.harness, row.session, row.agent);
}

Result<trace::SessionSummary> words_of(const SessionSource& source,
                                       const std::string& path,
                                       const std::string& agent,
                                       bool with_folder,
                                       const std::stop_token& stop) {
  trace::Format format = source.format();
  bool needs_folder = with_folder && tells_its_folder(format);
  bool is_lines = trace::is_line_format(format);
  trace::Summary summary(format);
  trace::TraceParser parser(format);
  parser.take(source.head(), summary);
  if (source.is_whole_head()) {
    parser.finish(summary);
  }
  auto is_told = [&] {
    // A document tells of the whole at its end.
    if (!is_lines) {
      return false;
    }
    trace::SessionSummary words = summary.summary();
    return (!tells_its_session(format) || !words.session.empty())
           && (!needs_folder || !words.cwd.empty());
  };
  if (!source.is_whole_head() && !is_told()) {
    TRY_ASSIGN(SessionSource whole, SessionSource::open(path));
    summary = trace::Summary(format);
    parser = trace::TraceParser(format);
    std::size_t got = 0;
    do {
      if (stop.stop_requested()) {
        return fail(ErrorCode::cancelled, "reading " + in_backticks(path) + " was cancelled");
      }
      // Damage is told when it is kept.
      got = whole.read(parser.room(trace::k_read_size)).value_or(0);
      parser.commit(got, summary);
    } while (got > 0 && !is_told());
    if (got == 0) {
      parser.finish(summary);
    }
  }
  trace::SessionSummary words = summary.summary();
  words.harness = harness_or(words.harness, agent, format);
  return words;
}

Result<std::uint64_t> length_of(const std::string& path, const std::stop_token& stop) {
  TRY_ASSIGN(SessionSource source, SessionSource::open(path));
  if (!source.is_compressed()) {
    return static_cast<std::uint64_t>(source.identity().size);
  }
  std::string room(k_length_step, '\0');
  std::uint64_t length = 0;
  while (std::size_t got = source.read(room).value_or(0)) {
    length += got;
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "reading " + in_backticks(path) + " was cancelled");
    }
  }
  return length;
}

Result<bool> is_kept_from_better(const store::SessionRow& row,
                                 const SessionSource& copy,
                                 const std::string& path,
                                 const std::stop_token& stop) {
  if (std::string database = database_of(row); !database.empty()) {
    return identify(database).has_value(); // what was exported of it is no newer
  }
  Result<SessionSource> kept = SessionSource::open(row.source);
  if (!kept) {
    return false;
  }
  TRY_ASSIGN(trace::SessionSummary words, words_of(*kept, row.source, row.harness, false, stop));
  if (!words.session.empty() && key_of(words) != key_of(row)) {
    return false; // another session lies there now
  }
  TRY_ASSIGN(std::uint64_t there, length_of(row.source, stop));
  TRY_ASSIGN(std::uint64_t here, length_of(path, stop));
  return there == here ? copy.is_compressed() || !kept->is_compressed() : there > here;
}

} // namespace upskill::archive
