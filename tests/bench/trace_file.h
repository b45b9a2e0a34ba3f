#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace upskill::bench {

// A made-up session of Claude Code of that many bytes, on the disk and in the page cache.
class TraceFile {
public:
  TraceFile(const std::string& folder, std::size_t size);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile();

  const std::string& path() const { return m_path; }

  std::size_t size() const { return m_size; }

private:
  std::string m_path;
  std::size_t m_size = 0;
};

// Reads a file from its start, k_read_size at a time, into what `room` gives.
void read_pieces(const std::string& path,
                 const std::function<std::span<char>(std::size_t)>& room,
                 const std::function<void(std::size_t)>& commit);

} // namespace upskill::bench
