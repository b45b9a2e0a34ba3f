#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace upskill::trace {

// Of a compressed file, decompressed: what is beyond is a bomb. Real ones are below 3 GB.
inline constexpr std::uint64_t k_max_trace_size = std::uint64_t{64} << 30;

// The bytes of a file in their order, decompressed where it is zstd. Never writes to it and never
// locks it. Owner: whoever reads. Thread: any, one at a time.
class ByteSource {
public:
  virtual ~ByteSource() = default;

  // The next bytes, at least one and at most as many as there is room for; 0 at the end.
  // Errors: io; corrupt where a zstd frame is broken or cut off, too_large over k_max_trace_size:
  // what stands before that has been read.
  virtual Result<std::size_t> read(std::span<char> room) = 0;

  // Passes over so many bytes; how many there were.
  virtual Result<std::uint64_t> skip(std::uint64_t count) = 0;

  virtual bool is_compressed() const = 0;
  // Of the file, in bytes, when it was opened.
  virtual std::uint64_t stored_size() const = 0;
};

// A regular file, which is zstd when its first bytes are those of a frame, whatever its name. Of a
// file that grows, what was there when it was opened. Errors: invalid_argument for anything else
// than a regular file, and those of system_error.
Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path);

} // namespace upskill::trace
