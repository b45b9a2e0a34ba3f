#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/trace/byte_source.h"
#include "skills/trace/format.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace upskill::archive {

// What tells files, and states of one file, apart.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;       // bytes
  std::int64_t changed_ms = 0; // Unix time of its content

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Errors as of system_error.
Result<FileIdentity> identify(const std::string& path);

// A digest of some bytes of a trace, by which it is known again.
struct Imprint {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::string digest = {}; // 64 hexadecimal digits; empty: of nothing

  friend bool operator==(const Imprint&, const Imprint&) = default;
};

// A session's file while it is read, decompressed: its beginning is looked at before anything is
// decided, and where it was read to before.
// Owner: an intake. Thread: any, one at a time.
class SessionSource {
public:
  // Errors as of trace::open_bytes.
  static Result<SessionSource> open(const std::string& path);

  const FileIdentity& identity() const { return m_identity; }

  // Up to 64 KiB, what detect_format needs.
  std::string_view head() const { return m_head; }

  bool is_whole_head() const { return m_is_whole_head; }

  trace::Format format() const { return m_format; }

  bool is_compressed() const { return m_source->is_compressed(); }

  // Of the beginning, at most 4 KiB.
  Imprint head_imprint() const;
  // Whether the trace begins as it did then.
  bool begins_as(const Imprint& imprint) const;

  // Goes to that offset of the trace, before which it must hold what it held then; changed where it
  // does not. Before the first read().
  Result<void> resume(std::uint64_t offset, const Imprint& before, std::stop_token stop);

  // The records before that, as many as there are in 256 KiB.
  std::string_view passed() const { return m_passed; }

  // The next bytes; 0 at the end. Errors as of trace::ByteSource; what stands before was read.
  Result<std::size_t> read(std::span<char> room);

private:
  SessionSource(std::unique_ptr<trace::ByteSource> source, FileIdentity identity)
      : m_source(std::move(source))
      , m_identity(identity) {}

  Result<void> read_head();
  Result<void> advance(std::uint64_t offset, const std::stop_token& stop);

  std::unique_ptr<trace::ByteSource> m_source;
  FileIdentity m_identity;
  std::string m_head = {};
  std::string m_passed = {};
  std::uint64_t m_at = 0; // offset in the trace of what read() gives next
  bool m_is_whole_head = false;
  std::optional<Error> m_problem = {}; // met behind the head
  trace::Format m_format = trace::Format::text;
};

inline constexpr std::size_t k_tail_imprint = 256; // bytes

// Of the last k_tail_imprint of `bytes`, which begin at `offset` of a trace.
Imprint tail_imprint(std::string_view bytes, std::uint64_t offset);

} // namespace upskill::archive
