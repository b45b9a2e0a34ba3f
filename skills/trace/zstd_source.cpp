#include "skills/trace/zstd_source.h"

#include "protocol/base/utf8.h"

#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace upskill::trace {
namespace {

constexpr int k_max_window_log = 27; // 128 MiB, as much as `zstd --decompress` takes unasked

constexpr std::size_t k_frame_start = 5; // bytes that tell how long a frame's header is

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdSource : public ByteSource {
public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string name)
      : m_packed(std::move(packed))
      , m_name(std::move(name))
      , m_stream(ZSTD_createDStream())
      , m_room(ZSTD_DStreamInSize()) {
    ZSTD_DCtx_setParameter(m_stream.get(), ZSTD_d_windowLogMax, k_max_window_log);
  }

  Result<std::size_t> read(std::span<char> room) override {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    while (out.pos == 0 && out.size > 0) {
      if (m_begin == m_end && !m_is_full) {
        TRY_ASSIGN(m_end, m_packed->read(m_room));
        m_begin = 0;
        if (m_end == 0) {
          return end();
        }
      }
      TRY(decompress(out));
    }
    m_given += out.pos;
    if (m_given > k_max_trace_size) {
      return fail(ErrorCode::too_large,
                  in_backticks(m_name) + " holds more than "
                      + std::to_string(k_max_trace_size >> 30) + " GiB, decompressed",
                  "what stands before that was read");
    }
    return out.pos;
  }

  Result<std::uint64_t> skip(std::uint64_t count) override {
    std::vector<char> room(std::min<std::uint64_t>(count, ZSTD_DStreamOutSize()));
    std::uint64_t skipped = 0;
    while (skipped < count) {
      std::size_t size = std::min<std::uint64_t>(room.size(), count - skipped);
      TRY_ASSIGN(std::size_t got, read(std::span(room).first(size)));
      if (got == 0) {
        break;
      }
      skipped += got;
    }
    return skipped;
  }

  bool is_compressed() const override { return true; }

  std::uint64_t stored_size() const override { return m_packed->stored_size(); }

private:
  // One block, or less: what a call has decompressed is lost when a later block in it is broken.
  Result<void> decompress(ZSTD_outBuffer& out) {
    std::size_t size = m_is_full ? 0 : std::min(m_wanted, m_end - m_begin);
    ZSTD_inBuffer in{m_room.data() + m_begin, size, 0};
    std::size_t wanted = ZSTD_decompressStream(m_stream.get(), &out, &in);
    if (ZSTD_isError(wanted) != 0) {
      return fail(ErrorCode::corrupt,
                  in_backticks(m_name) + " has a broken zstd frame after " + std::to_string(m_given)
                      + " bytes of its content: " + ZSTD_getErrorName(wanted),
                  "what stands before it was read");
    }
    m_begin += in.pos;
    m_is_within_frame = wanted != 0;
    m_is_full = out.pos == out.size && wanted != 0; // it may hold more than there was room for
    m_wanted = wanted == 0 ? k_frame_start : wanted;
    return {};
  }

  Result<std::size_t> end() const {
    if (m_is_within_frame) {
      return fail(ErrorCode::corrupt,
                  in_backticks(m_name) + " ends in the middle of a zstd frame",
                  "what stands before was read; it may still be written");
    }
    return std::size_t{0};
  }

  std::unique_ptr<ByteSource> m_packed;
  std::string m_name;
  std::unique_ptr<ZSTD_DStream, FreeStream> m_stream;
  std::vector<char> m_room; // of what is packed
  std::size_t m_begin = 0;  // what of it is still to be decompressed
  std::size_t m_end = 0;
  std::size_t m_wanted = k_frame_start; // bytes up to the end of a block
  std::uint64_t m_given = 0;
  bool m_is_within_frame = false;
  bool m_is_full = false;
};

} // namespace

bool is_zstd(std::string_view head) {
  if (head.size() < 4) {
    return false;
  }
  // Little endian 0xFD2FB528, and 0x184D2A50 to 0x184D2A5F (RFC 8878, 3.1).
  bool is_skippable =
      (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
  return head.starts_with("\x28\xB5\x2F\xFD") || is_skippable;
}

std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(packed), std::move(name));
}

} // namespace upskill::trace
