#include "daemon/await.h"
#include "daemon/capture/desk.h"
#include "protocol/base/paths.h"
#include "skills/archive/stored_form.h"

#include <algorithm>
#include <functional>

namespace upskill::capture {
namespace {

constexpr std::size_t k_newest = 16; // files that read_newest() reads

// Whether what was read now is read from its beginning each time: a database, or a document.
bool is_read_whole(const Result<std::vector<archive::Kept>>& kept, const std::string& path) {
  return !kept || std::ranges::any_of(*kept, [&](const archive::Kept& one) {
    std::optional<trace::Format> format = archive::format_named(one.row.format);
    return one.row.source != path || (format && !trace::is_line_format(*format));
  });
}

} // namespace

// None: no session lies there.
std::string Desk::agent_of(const std::string& path) const {
  for (const agents::SessionFolder& folder : m_folders) {
    if (is_inside(path, folder.folder)
        && agents::is_session_file(folder.place, relative_path(path, folder.folder))) {
      return folder.agent;
    }
  }
  return {};
}

asio::awaitable<Result<bool>> Desk::read_now(std::string path) {
  archive::KeepOptions options;
  options.agent = agent_of(path);
  if (std::size_t mark = path.rfind('#'); options.agent.empty() && mark != std::string::npos) {
    path.resize(mark);
    options.agent = agent_of(path);
  }
  if (options.agent.empty()) {
    co_return false; // a hook may name any file; only what lies where sessions do is read
  }
  if (!m_state.may_read(path, Clock::now())) {
    m_state.changed(path, Clock::now());
    wake();
    co_return false;
  }
  options.waits_for_folder = std::ranges::any_of(
      m_rules, [](const store::CaptureRule& rule) { return !rule.folder.empty(); });
  // Asked on the pool, while a person may change the rules.
  options.is_wanted = [rules = m_rules](std::string_view agent, std::string_view folder) {
    return is_captured(rules, agent, folder);
  };
  Clock::duration took{};
  auto keep = [&](archive::Archive& archive) {
    Clock::time_point begun = Clock::now();
    Result<std::vector<archive::Kept>> kept =
        archive.keep(path, options, m_options.now_ms(), m_stop.get_token());
    took = Clock::now() - begun;
    return kept;
  };
  AWAIT(Result<std::vector<archive::Kept>> kept, with(std::move(keep)));
  if (is_read_whole(kept, path)) {
    m_state.read_whole(path, took, Clock::now());
  }
  bool is_in_the_way =
      !kept && (kept.error().code == ErrorCode::busy || kept.error().code == ErrorCode::changed);
  if (is_in_the_way) {
    m_state.changed(path, Clock::now()); // its agent was writing to it
    wake();
  }
  CO_TRY(kept);
  ++m_counts.reads;
  bool is_any = false;
  for (const archive::Kept& one : *kept) {
    is_any = is_any || one.state != archive::KeepState::skipped;
  }
  co_return is_any;
}

asio::awaitable<void> Desk::read_newest(std::string agent) {
  std::vector<agents::SessionFolder> folders = m_folders;
  std::erase_if(folders, [&](const agents::SessionFolder& folder) {
    return !agent.empty() && folder.agent != agent;
  });
  auto look = [folders = std::move(folders), stop = m_stop.get_token()] {
    SessionWalk walk;
    for (const agents::SessionFolder& folder : folders) {
      walk_sessions(folder, walk, stop);
    }
    std::ranges::sort(walk.files, std::ranges::greater(), &SessionFile::changed_ms);
    walk.files.resize(std::min(walk.files.size(), k_newest));
    return walk.files;
  };
  AWAIT(std::vector<SessionFile> newest, runtime::offload(m_options.pool(), std::move(look)));
  for (const SessionFile& file : newest) {
    AWAIT(Result<bool> read, read_now(file.path));
    if (!read) {
      m_log.warning("traces: {}", read.error().message);
    }
  }
}

} // namespace upskill::capture
