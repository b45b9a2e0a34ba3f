#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/objects.h"
#include "skills/store/zstd_frame.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace upskill::store {

// Takes the bytes of a trace as they come, in pieces of any size. False ends the reading.
using TakeText = std::function<bool(std::string_view piece)>;

// Gives the bytes of a trace, in pieces of any size, to the function it is called with.
using GiveText =
    std::function<Result<void>(const std::function<Result<void>(std::string_view piece)>& write)>;

struct RewrittenObject {
  std::string name = {};
  std::uint64_t size = 0;      // of the file
  std::uint64_t text_size = 0; // decompressed
};

// What was captured of sessions, by name (trace_object_name): files of zstd frames, one behind the
// other, that `zstdcat` reads. Every frame holds whole lines. How much of a file counts is what the
// row says that names it (SessionRow::object_size): what lies behind that was written and never
// committed, is not read, and is cut off by the next append.
// Owner: the daemon, and only one in a folder. Thread: one at a time; reading may go on meanwhile
// in others, of their own.
class TraceObjects {
public:
  // Makes the folder (0700) where there is none.
  static Result<TraceObjects> open(const std::string& folder);

  // Adds text, whole lines, behind the first `committed_size` bytes of the file, which is made when
  // that is 0. The new size of the file, to be committed. corrupt: it is shorter than what was
  // committed (a power failure); begin it anew with rewrite(). On failure what counts is unharmed.
  // Not durable before flush().
  Result<std::uint64_t>
  append(const std::string& name, std::string_view text, std::uint64_t committed_size);
  // Writes another version of it, under another name (next_object_name): the old one counts, and
  // can be read meanwhile, until the row names the new one. Then, or when nothing becomes of it,
  // the other one is to be removed. On failure nothing new stays.
  Result<RewrittenObject> rewrite(const std::string& name, const GiveText& give);
  // All that was written so far survives power loss (syncfs). Gives memory back.
  Result<void> flush();

  // The text from `from` on, an offset in it. Frames that lie before are skipped unread. Holds less
  // than 9 MiB, whatever the file is. The length of the text, or of what was read when `take` ended
  // it. corrupt: the file is damaged, or shorter than what was committed; what could be read before
  // was given to `take`.
  Result<std::uint64_t> read(const std::string& name,
                             std::uint64_t committed_size,
                             std::uint64_t from,
                             const TakeText& take) const;

  // No error when there is none.
  Result<void> remove(const std::string& name);
  bool contains(std::string_view name) const;
  // Removes what is not in `live`, and was last written from `from_ms` on and before `before_ms`
  // (Unix time).
  Result<RemovedObjects> remove_unreferenced(const std::unordered_set<std::string>& live,
                                             std::int64_t from_ms,
                                             std::int64_t before_ms);
  // Of all files there are.
  Result<std::uint64_t> total_bytes() const;
  // For people.
  std::string path_of(std::string_view name) const;

private:
  TraceObjects(std::string folder, UniqueFd fd)
      : m_folder(std::move(folder))
      , m_fd(std::move(fd)) {}

  tl::unexpected<Error> cannot(std::string_view what, std::string_view name) const; // by errno

  std::string m_folder;
  UniqueFd m_fd;
  FrameWriter m_frames;
};

} // namespace upskill::store
