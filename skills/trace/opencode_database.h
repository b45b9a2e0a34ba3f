#pragma once
#include "skills/trace/foreign_database.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::trace {

// One of OpenCode's sessions. Texts are valid UTF-8.
struct OpencodeSession {
  std::string id = {};
  std::string parent = {}; // the session whose helper this one is; empty: a person's
  std::string directory = {};
  std::string title = {};
  std::string version = {};
  std::int64_t created_ms = 0; // Unix time
  std::int64_t updated_ms = 0;
};

// What render() did.
struct OpencodeRendering {
  std::uint64_t bytes = 0;
  std::size_t messages = 0;
  std::size_t parts = 0;
  std::size_t unreadable = 0; // rows that are no JSON object, told as such
  std::size_t left_out = 0;   // messages beyond the limit
};

// Reads a copy of OpenCode's `opencode.db` (copy_database); the one that OpenCode has open is not
// for us to hold. Never writes, and makes no file. Owner: whoever reads. Thread: one. Lifetime: a
// look.
class OpencodeDatabase {
public:
  // corrupt: it is no database, or damaged. unsupported: it has not the tables that we know.
  static Result<OpencodeDatabase> open(const std::string& path);

  // The latest first, at most `limit`.
  Result<std::vector<OpencodeSession>> sessions(std::size_t limit);

  // Gives `write` the session as the document that `opencode export` makes, which Format::opencode
  // reads, in pieces of one part or less; messages beyond `max_bytes` are left out, and counted.
  // not_found: there is no such session. A failure of `write` ends it and is told.
  Result<OpencodeRendering> render(std::string_view session,
                                   std::uint64_t max_bytes,
                                   const std::function<Result<void>(std::string_view)>& write);

private:
  OpencodeDatabase(std::string path, DatabaseHandle handle);

  std::string m_path;
  DatabaseHandle m_handle;
};

} // namespace upskill::trace
