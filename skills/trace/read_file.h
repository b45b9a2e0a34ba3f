#pragma once
#include "protocol/base/result.h"
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/record_stream.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::trace {

// What reading a file told beside its events.
struct FileRead {
  Format format = Format::text;
  bool is_compressed = false;
  std::uint64_t stored_size = 0; // of the file, in bytes
  std::uint64_t size = 0; // of the trace in it, in bytes: decompressed, as far as it was read
  std::uint64_t resume_offset = 0;  // in the trace; where reading goes on once there is more
  std::vector<Error> problems = {}; // what was before them was read
};

// Reads a trace from `offset` on, which is 0 or an earlier read's resume_offset: of a compressed
// file it counts the bytes of the trace, and is the same when the file is compressed later. The
// format is looked for in the content where none is given. Events after resume_offset come again
// when reading goes on (TraceParser). A file that is not read here has its format and no events:
// opencode_database. Memory is bounded, whatever the file.
//
// Errors: those of open_bytes; changed where the trace is shorter than `offset`, so that it has to
// be read from its start; cancelled.
Result<FileRead> read_trace_file(const std::string& path,
                                 std::optional<Format> format,
                                 std::uint64_t offset,
                                 EventSink& sink,
                                 std::stop_token stop = {});

// The same up to the records, for whoever does something with them before they are read.
Result<FileRead> read_trace_records(const std::string& path,
                                    std::optional<Format> format,
                                    std::uint64_t offset,
                                    const std::function<RecordSink&(Format)>& sink_of,
                                    std::stop_token stop = {});

} // namespace upskill::trace
