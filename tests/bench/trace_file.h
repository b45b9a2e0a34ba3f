#pragma once
#include "skills/archive/archive.h"
#include "skills/trace/event.h"
#include "skills/trace/format.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace upskill::bench {

// Adds some more whole records to a trace.
using MoreRecords = std::function<void(std::string& out)>;

// A made-up session of that many bytes, of Claude Code unless told otherwise, on the disk and in
// the page cache.
class TraceFile {
public:
  TraceFile(const std::string& folder, std::size_t size);
  TraceFile(const std::string& folder, std::size_t size, const MoreRecords& more);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();

  const std::string& path() const { return m_path; }

  std::size_t size() const { return m_size; }

private:
  std::string m_path;
  std::size_t m_size = 0;
};

struct CountEvents : trace::EventSink {
  std::size_t events = 0;
  std::size_t bytes = 0;

  void take(const trace::Event& event) override {
    ++events;
    bytes += event.text.raw_size();
  }
};

// Reads a file into events, and does nothing else.
void normalise(const std::string& path, trace::Format format, trace::EventSink& sink);

// An archive in that folder, with the rules of redaction that are built in.
archive::Archive open_archive(const std::string& folder);

// Reads a file from its start, k_read_size at a time, into what `room` gives.
void read_pieces(const std::string& path,
                 const std::function<std::span<char>(std::size_t)>& room,
                 const std::function<void(std::size_t)>& commit);

} // namespace upskill::bench
