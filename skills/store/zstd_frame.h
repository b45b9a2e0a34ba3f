#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

// zstd (RFC 8878) as skills/store uses it: frames that say how long their content is, with a
// checksum, each to be read by itself.
namespace upskill::store {

// Holds some megabytes from its first use until it is dropped.
class FrameWriter {
public:
  // Appends one frame that holds `bytes`.
  Result<void> append_frame(std::string& out, std::string_view bytes);

private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };

  std::unique_ptr<ZSTD_CCtx_s, Free> m_context = {};
};

// The content of one whole frame. corrupt: it is none, or says that its content is over `limit`.
Result<std::string> read_frame(std::string_view frame, std::size_t limit);

// How long a frame is, without having decompressed it.
struct FrameExtent {
  std::uint64_t size = 0;                    // in the file
  std::optional<std::uint64_t> content = {}; // decompressed, where it says so
};

// Walks the headers of the frame at `offset` of a file that counts up to `end`. corrupt: there is
// no whole one.
Result<FrameExtent> measure_frame(int fd, std::uint64_t offset, std::uint64_t end);

} // namespace upskill::store
