// Headers of frames and blocks are read by functions that only the static library promises.
#define ZSTD_STATIC_LINKING_ONLY
#include "skills/store/zstd_frame.h"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

namespace upskill::store {
namespace {

// zstd's own default: twice the size of level 19, at fifty times its speed.
constexpr int k_level = 3;

tl::unexpected<Error> damaged(std::string_view why) {
  return fail(ErrorCode::corrupt, "not a zstd frame: " + std::string(why));
}

// As many bytes as there are before `end`.
Result<std::size_t>
read_at(int fd, std::uint64_t offset, std::uint64_t end, std::span<std::uint8_t> into) {
  std::size_t wanted = std::min<std::uint64_t>(into.size(), end - std::min(offset, end));
  std::size_t got = 0;
  while (got < wanted) {
    ssize_t count = ::pread(fd, into.data() + got, wanted - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return fail(system_error(errno, "cannot read a frame"));
    }
    if (count == 0) {
      break;
    }
    got += static_cast<std::size_t>(count);
  }
  return got;
}

// From the first block's header to behind the last block (RFC 8878, 3.1.1.2).
Result<std::uint64_t>
measure_blocks(int fd, std::uint64_t offset, std::uint64_t end, std::uint32_t most) {
  for (;;) {
    std::array<std::uint8_t, 3> bytes{};
    TRY_ASSIGN(std::size_t got, read_at(fd, offset, end, bytes));
    if (got < bytes.size()) {
      return damaged("it is cut off");
    }
    std::uint32_t head = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
    std::uint32_t type = head >> 1 & 3;
    std::uint32_t size = head >> 3;
    if (type == 3 || size > most) {
      return damaged("a block of it is not valid");
    }
    constexpr std::uint32_t k_repeated_byte = 1;
    offset += bytes.size() + (type == k_repeated_byte ? 1 : size);
    if ((head & 1) != 0) {
      return offset;
    }
  }
}

} // namespace

void FrameWriter::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

Result<void> FrameWriter::append_frame(std::string& out, std::string_view bytes) {
  if (!m_context) {
    m_context.reset(ZSTD_createCCtx());
    if (!m_context) {
      return fail(ErrorCode::internal, "there is no memory to compress with");
    }
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_compressionLevel, k_level);
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_checksumFlag, 1);
  }
  std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(bytes.size()));
  std::size_t size = ZSTD_compress2(
      m_context.get(), out.data() + before, out.size() - before, bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) {
    out.resize(before);
    return fail(ErrorCode::internal, std::string("cannot compress: ") + ZSTD_getErrorName(size));
  }
  out.resize(before + size);
  return {};
}

Result<std::string> read_frame(std::string_view frame, std::size_t limit) {
  unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > limit) {
    return damaged("it does not say how long it is, or is too long");
  }
  std::string content(static_cast<std::size_t>(size), '\0');
  std::size_t got = ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != content.size()) {
    return damaged(ZSTD_isError(got) != 0 ? ZSTD_getErrorName(got) : "it is too short");
  }
  return content;
}

Result<FrameExtent> measure_frame(int fd, std::uint64_t offset, std::uint64_t end) {
  std::array<std::uint8_t, ZSTD_FRAMEHEADERSIZE_MAX> bytes{};
  TRY_ASSIGN(std::size_t got, read_at(fd, offset, end, bytes));
  ZSTD_frameHeader head{};
  std::size_t missing = ZSTD_getFrameHeader(&head, bytes.data(), got);
  if (missing != 0) {
    return damaged(ZSTD_isError(missing) != 0 ? ZSTD_getErrorName(missing) : "it is cut off");
  }
  FrameExtent extent;
  if (head.frameType == ZSTD_skippableFrame) {
    extent.size = ZSTD_SKIPPABLEHEADERSIZE + head.frameContentSize;
    extent.content = 0;
  } else {
    TRY_ASSIGN(std::uint64_t behind,
               measure_blocks(fd, offset + head.headerSize, end, head.blockSizeMax));
    constexpr std::uint64_t k_checksum = 4;
    extent.size = behind - offset + (head.checksumFlag != 0 ? k_checksum : 0);
    if (head.frameContentSize != ZSTD_CONTENTSIZE_UNKNOWN) {
      extent.content = head.frameContentSize;
    }
  }
  if (extent.size > end - offset) {
    return damaged("it is cut off");
  }
  return extent;
}

} // namespace upskill::store
