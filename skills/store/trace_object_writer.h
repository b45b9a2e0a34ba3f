#pragma once
#include "protocol/base/result.h"
#include "skills/store/zstd_frame.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::store {

inline constexpr std::size_t k_trace_frame = 1u << 20;      // text of a frame, up to a line's end
inline constexpr std::size_t k_max_trace_frame = 16u << 20; // where there is no line's end

// Writes text into an open file as frames, from an offset on. Holds one frame's text. For
// TraceObjects only, within one call.
class TraceObjectWriter {
public:
  TraceObjectWriter(int fd, std::uint64_t offset, FrameWriter& frames)
      : m_fd(fd)
      , m_offset(offset)
      , m_frames(frames) {}

  Result<void> write(std::string_view text);
  // Writes what is left.
  Result<void> finish();

  // Where the next frame will begin.
  std::uint64_t offset() const { return m_offset; }

  std::uint64_t text_size() const { return m_text_size; }

private:
  Result<void> write_frame(std::string_view text);

  int m_fd;
  std::uint64_t m_offset;
  FrameWriter& m_frames;
  std::string m_text = {};
  std::string m_frame = {};
  std::uint64_t m_text_size = 0;
};

} // namespace upskill::store
