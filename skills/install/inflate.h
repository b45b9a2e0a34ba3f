#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::install {

// Unpacks a deflated stream piece by piece (zlib), so that a bomb is seen before it has gone off.
// Owner: a call. Thread: one at a time. Lifetime: not longer than the bytes it reads.
class Inflate {
public:
  enum class Form : std::uint8_t {
    raw, // as in a zip
    gzip // with checksums, which are verified; one member or several behind each other
  };

  Inflate(std::string_view packed, Form form);
  ~Inflate();
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  // The next piece, which is valid until the next call; empty at the end, when all was read.
  // corrupt: it is no such stream, is cut off, a checksum is wrong, or something lies behind it.
  Result<std::string_view> next();

private:
  struct State;
  std::unique_ptr<State> m_state;
};

// CRC-32 of `bytes`, as zip has it; `before` is that of what precedes them.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);

// `bytes` as a raw deflated stream; empty if there is no memory. What comes out is decided by the
// version of zlib alone, which is linked statically.
std::string deflated(std::string_view bytes);

} // namespace upskill::install
