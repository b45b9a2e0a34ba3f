#include "tests/bench/trace_file.h"

#include "protocol/base/unique_fd.h"
#include "skills/trace/parser.h"
#include "tests/bench/bench.h"
#include "tests/bench/claude_session.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace upskill::bench {

TraceFile::TraceFile(const std::string& folder, std::size_t size)
    : TraceFile(folder, size, [session = ClaudeSession(1)](std::string& out) mutable {
      session.append(out, 4u << 20);
    }) {}

TraceFile::TraceFile(const std::string& folder, std::size_t size, const MoreRecords& more)
    : m_path(folder + "/upskill-bench-XXXXXX.jsonl") {
  UniqueFd file(::mkostemps(m_path.data(), 6, O_CLOEXEC));
  require(file.get() >= 0, "no file for the session");
  std::string bytes;
  while (m_size < size) {
    bytes.clear();
    more(bytes);
    require(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "the session could not be written");
    m_size += bytes.size();
  }
}

TraceFile::~TraceFile() {
  ::unlink(m_path.c_str());
}

void normalise(const std::string& path, trace::Format format, trace::EventSink& sink) {
  trace::TraceParser parser(format);
  read_pieces(
      path,
      [&](std::size_t wanted) { return parser.room(wanted); },
      [&](std::size_t size) { parser.commit(size, sink); });
  parser.finish(sink);
}

archive::Archive open_archive(const std::string& folder) {
  auto rules = redact::RuleSet::built_in();
  require(rules.has_value(), "the rules cannot be read");
  auto opened = archive::Archive::open({.database = folder + "/traces.db",
                                        .objects = folder + "/objects",
                                        .rules = *std::move(rules)});
  require(opened.has_value(), "no archive");
  return *std::move(opened);
}

void read_pieces(const std::string& path,
                 const std::function<std::span<char>(std::size_t)>& room,
                 const std::function<void(std::size_t)>& commit) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  require(file.get() >= 0, "the session cannot be opened");
  while (true) {
    std::span<char> bytes = room(trace::k_read_size);
    ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
    require(size >= 0, "the session cannot be read");
    if (size == 0) {
      return;
    }
    commit(static_cast<std::size_t>(size));
  }
}

} // namespace upskill::bench
