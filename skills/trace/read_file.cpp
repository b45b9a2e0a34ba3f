#include "skills/trace/read_file.h"

#include "protocol/base/utf8.h"
#include "skills/trace/byte_source.h"
#include "skills/trace/reader.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace upskill::trace {
namespace {

constexpr std::size_t k_head_size = 64u << 10; // what detect_format needs

// The beginning of a trace, which is looked at before it is read.
struct Head {
  std::string bytes = {};
  bool is_whole = false;
  std::optional<Error> problem = {};
};

Head read_head(ByteSource& source) {
  Head head;
  head.bytes.resize(k_head_size);
  std::size_t used = 0;
  while (used < head.bytes.size()) {
    Result<std::size_t> got = source.read(std::span(head.bytes).subspan(used));
    if (!got) {
      head.problem = std::move(got).error();
    }
    if (!got || *got == 0) {
      head.is_whole = true;
      break;
    }
    used += *got;
  }
  head.bytes.resize(used);
  return head;
}

tl::unexpected<Error> cancelled(const std::string& path) {
  return fail(ErrorCode::cancelled, "reading " + in_backticks(path) + " was cancelled");
}

Result<void> skip(ByteSource& source,
                  std::uint64_t count,
                  const std::string& path,
                  const std::stop_token& stop) {
  constexpr std::uint64_t k_step = 16u << 20; // bytes between looks at `stop`
  while (count > 0) {
    if (stop.stop_requested()) {
      return cancelled(path);
    }
    TRY_ASSIGN(std::uint64_t skipped, source.skip(std::min(count, k_step)));
    if (skipped == 0) {
      return fail(ErrorCode::changed,
                  in_backticks(path) + " is shorter than when it was read before",
                  "read it from its start");
    }
    count -= skipped;
  }
  return {};
}

} // namespace

Result<FileRead> read_trace_file(const std::string& path,
                                 std::optional<Format> format,
                                 std::uint64_t offset,
                                 EventSink& sink,
                                 std::stop_token stop) {
  std::unique_ptr<Reader> reader;
  std::optional<ReadRecords> records;
  auto sink_of = [&](Format found) -> RecordSink& {
    reader = make_reader(found);
    return records.emplace(*reader, sink);
  };
  return read_trace_records(path, format, offset, sink_of, std::move(stop));
}

Result<FileRead> read_trace_records(const std::string& path,
                                    std::optional<Format> format,
                                    std::uint64_t offset,
                                    const std::function<RecordSink&(Format)>& sink_of,
                                    std::stop_token stop) {
  TRY_ASSIGN(std::unique_ptr<ByteSource> source, open_bytes(path));
  FileRead read;
  read.is_compressed = source->is_compressed();
  read.stored_size = source->stored_size();

  Head head;
  if (!format) {
    head = read_head(*source);
  }
  read.format = format ? *format : detect_format(head.bytes, head.is_whole);
  if (read.format == Format::opencode_database) {
    return read;
  }
  if (offset > head.bytes.size()) {
    if (head.problem) {
      return fail(*std::move(head.problem));
    }
    TRY(skip(*source, offset - head.bytes.size(), path, stop));
  }
  RecordSink& sink = sink_of(read.format);
  RecordStream records(make_splitter(read.format), offset);
  std::string_view rest = std::string_view(head.bytes).substr(std::min(offset, head.bytes.size()));
  records.take(rest, sink);
  read.size = offset + rest.size();
  bool is_over = head.is_whole || head.problem.has_value();
  while (!is_over) {
    if (stop.stop_requested()) {
      return cancelled(path);
    }
    Result<std::size_t> got = source->read(records.room(k_read_size));
    if (!got) {
      head.problem = std::move(got).error();
    }
    is_over = !got || *got == 0;
    if (!is_over) {
      records.commit(*got, sink);
      read.size += *got;
    }
  }
  records.finish(sink);
  read.resume_offset = records.resume_offset();
  if (head.problem) {
    read.problems.push_back(*std::move(head.problem));
  }
  return read;
}

} // namespace upskill::trace
