#pragma once
#include "skills/agents/resolve.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace upskill::capture {

inline constexpr std::size_t k_max_session_files = 200'000;  // of one walk
inline constexpr std::size_t k_max_session_folders = 50'000; // the same

// A file that lies where an agent keeps its sessions, and has the name of one.
struct SessionFile {
  std::string agent; // id of the table; empty where a person named the file
  std::string path;
  std::int64_t size = 0;
  std::int64_t changed_ms = 0; // Unix time of its content, or of its journal's
};

// What a walk found. Nothing was opened but folders, and nothing was written.
struct SessionWalk {
  std::vector<SessionFile> files = {};
  std::vector<std::string> problems = {}; // folders that could not be looked at, and why
  bool is_partial = false;                // a bound was met
};

// Calls `visit` for each folder that may hold sessions, before its entries are read: to watch it.
using VisitFolder = std::function<void(const std::string& path)>;

// Every session below a folder of an agent. Links are not followed, but for the folder itself.
void walk_sessions(const agents::SessionFolder& folder,
                   SessionWalk& walk,
                   std::stop_token stop,
                   const VisitFolder& visit = {});

// The same of one folder that lies in it, and has just come. Each entry that is met takes one of
// `entries`; where they do not last, the walk is partial.
void walk_below(const agents::SessionFolder& folder,
                const std::string& path,
                SessionWalk& walk,
                const VisitFolder& visit,
                std::size_t& entries);

// Every regular file below a folder that a person named, at most 16 folders deep; or the file. What
// is hidden is left out, but for the folder itself.
void walk_files(const std::string& path, SessionWalk& walk, std::stop_token stop);

} // namespace upskill::capture
