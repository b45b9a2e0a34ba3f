#include "skills/store/trace_object_reader.h"

#include "skills/store/zstd_frame.h"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

namespace upskill::store {
namespace {

// 8 MiB, which is what `zstd` itself accepts unasked (RFC 8878, 3.1.1.1.2): a file may be put here
// that demands more memory than there is. Our own frames need 2 MiB.
constexpr int k_window_log = 23;
constexpr std::size_t k_piece = 128u << 10;

struct Position {
  std::uint64_t file = 0; // where the next frame begins
  std::uint64_t text = 0; // what it begins with
};

class Decoder {
public:
  Decoder(int fd, std::string path, std::uint64_t end)
      : m_fd(fd)
      , m_path(std::move(path))
      , m_end(end)
      , m_context(ZSTD_createDCtx()) {}

  // Past the frames that end at `from` or before it, as far as they say how long they are.
  Result<void> skip(std::uint64_t from) {
    while (m_at.file < m_end && m_at.text < from) {
      Result<FrameExtent> extent = measure_frame(m_fd, m_at.file, m_end);
      if (!extent) {
        return damaged(extent.error().message);
      }
      if (!extent->content || *extent->content > from - m_at.text) {
        return {};
      }
      m_at.file += extent->size;
      m_at.text += *extent->content;
    }
    return {};
  }

  // All that follows; what lies before `from` is dropped.
  Result<std::uint64_t> decode(std::uint64_t from, const TakeText& take) {
    if (!m_context) {
      return fail(ErrorCode::internal, "there is no memory to decompress with");
    }
    ZSTD_DCtx_setParameter(m_context.get(), ZSTD_d_windowLogMax, k_window_log);
    std::vector<char> bytes(k_piece);
    std::vector<char> text(k_piece);
    std::size_t wanted = 0; // 0 between frames
    while (m_at.file < m_end) {
      TRY_ASSIGN(std::size_t got, fill(bytes));
      ZSTD_inBuffer in{bytes.data(), got, 0};
      // A full output may mean that there is more of it, with no input left.
      for (bool is_full = false; in.pos < in.size || is_full;) {
        ZSTD_outBuffer out{text.data(), text.size(), 0};
        wanted = ZSTD_decompressStream(m_context.get(), &out, &in);
        if (ZSTD_isError(wanted) != 0) {
          return damaged(ZSTD_getErrorName(wanted));
        }
        is_full = out.pos == out.size && wanted != 0;
        if (!give({text.data(), out.pos}, from, take)) {
          return m_at.text;
        }
      }
    }
    if (wanted != 0) {
      return damaged("its last frame is cut off");
    }
    return m_at.text;
  }

  tl::unexpected<Error> damaged(std::string_view why) const {
    return fail(ErrorCode::corrupt,
                "the kept session `" + m_path + "` is damaged behind the first "
                    + std::to_string(m_at.text) + " bytes of its text: " + std::string(why),
                "import its source again, or `upskill trace purge` it");
  }

private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  Result<std::size_t> fill(std::vector<char>& bytes) {
    std::size_t most = std::min<std::uint64_t>(bytes.size(), m_end - m_at.file);
    for (;;) {
      ssize_t got = ::pread(m_fd, bytes.data(), most, static_cast<off_t>(m_at.file));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return fail(system_error(errno, "cannot read the kept session `" + m_path + "`"));
      }
      if (got == 0) {
        return damaged("it became shorter while it was read");
      }
      m_at.file += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  bool give(std::string_view text, std::uint64_t from, const TakeText& take) {
    std::uint64_t before =
        m_at.text < from ? std::min<std::uint64_t>(from - m_at.text, text.size()) : 0;
    m_at.text += text.size();
    text.remove_prefix(static_cast<std::size_t>(before));
    return text.empty() || take(text);
  }

  int m_fd;
  std::string m_path;
  std::uint64_t m_end;
  Position m_at = {};
  std::unique_ptr<ZSTD_DCtx, Free> m_context;
};

} // namespace

Result<std::uint64_t> read_trace_object(int fd,
                                        const std::string& path,
                                        std::uint64_t committed_size,
                                        std::uint64_t from,
                                        const TakeText& take) {
  off_t size = ::lseek(fd, 0, SEEK_END);
  if (size < 0) {
    return fail(system_error(errno, "cannot read the kept session `" + path + "`"));
  }
  // What there is is given, before it is said that there is not enough.
  auto end = std::min(static_cast<std::uint64_t>(size), committed_size);
  Decoder decoder(fd, path, end);
  TRY(decoder.skip(from));
  bool is_ended = false;
  auto watched = [&](std::string_view piece) {
    is_ended = !take(piece);
    return !is_ended;
  };
  TRY_ASSIGN(std::uint64_t text, decoder.decode(from, watched));
  if (!is_ended && end < committed_size) {
    return decoder.damaged("the file is shorter than it was");
  }
  return text;
}

} // namespace upskill::store
