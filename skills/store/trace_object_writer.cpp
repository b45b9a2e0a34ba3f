#include "skills/store/trace_object_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace upskill::store {
namespace {

// How much of it makes a frame; 0: not enough yet.
std::size_t frame_length(std::string_view text) {
  if (text.size() < k_trace_frame) {
    return 0;
  }
  std::size_t end = text.rfind('\n', k_trace_frame - 1);
  if (end == std::string_view::npos) {
    end = text.find('\n', k_trace_frame);
  }
  if (end != std::string_view::npos && end < k_max_trace_frame) {
    return end + 1;
  }
  return text.size() < k_max_trace_frame ? 0 : k_max_trace_frame;
}

} // namespace

Result<void> TraceObjectWriter::write(std::string_view text) {
  m_text_size += text.size();
  while (!text.empty()) {
    // What is a whole frame here is not copied first.
    if (std::size_t length = m_text.empty() ? frame_length(text) : 0) {
      TRY(write_frame(text.substr(0, length)));
      text.remove_prefix(length);
      continue;
    }
    // No more than a frame at a time, so that little is held and moved.
    std::size_t taken = std::min(text.size(), k_trace_frame);
    m_text += text.substr(0, taken);
    text.remove_prefix(taken);
    while (std::size_t length = frame_length(m_text)) {
      TRY(write_frame(std::string_view(m_text).substr(0, length)));
      m_text.erase(0, length);
    }
  }
  return {};
}

Result<void> TraceObjectWriter::finish() {
  if (!m_text.empty()) {
    TRY(write_frame(m_text));
    m_text.clear();
  }
  return {};
}

Result<void> TraceObjectWriter::write_frame(std::string_view text) {
  m_frame.clear();
  TRY(m_frames.append_frame(m_frame, text));
  std::string_view left = m_frame;
  while (!left.empty()) {
    ssize_t written = ::pwrite(m_fd, left.data(), left.size(), static_cast<off_t>(m_offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return fail(system_error(errno, "cannot write a captured session"));
    }
    m_offset += static_cast<std::uint64_t>(written);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

} // namespace upskill::store
