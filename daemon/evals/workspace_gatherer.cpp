#include "daemon/evals/workspace_gatherer.h"

#include "daemon/await.h"
#include "daemon/evals/answer_file.h"
#include "daemon/runtime/offload.h"
#include "daemon/sandbox/confined_files.h"
#include "daemon/students/workspace_folder.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace upskill::evals {
namespace {

constexpr std::size_t k_max_file = 1u << 20;      // bytes that are looked into
constexpr std::size_t k_output_characters = 1200; // of a command, as upskill keeps them
constexpr std::size_t k_max_printed = 4 * k_output_characters;

using Files = std::map<std::string, eval::WorkspaceFile>;

Result<std::shared_ptr<students::Workspace>>
make_workspace(runtime::Pool& pool, const eval::Case& one, const std::string& answer) {
  std::map<std::string, std::string> files = one.context_files;
  if (!one.output_file.empty()) {
    files[one.output_file] = file_of_answer(answer);
  }
  TRY_ASSIGN(std::shared_ptr<students::WorkspaceFolder> made,
             students::WorkspaceFolder::make(pool, files));
  return std::shared_ptr<students::Workspace>(std::move(made));
}

// Nothing where the system does not let us see whether it is there.
std::optional<eval::WorkspaceFile> file_at(int folder, const std::string& path) {
  eval::WorkspaceFile file;
  Result<std::string> text = sandbox::read_confined(folder, path, k_max_file);
  if (text) {
    file.state = eval::WorkspaceFile::State::text;
    file.text = std::move(*text);
    return file;
  }
  switch (text.error().code) {
  case ErrorCode::not_found:
  case ErrorCode::invalid_argument: // no file can have that name
    return file;
  case ErrorCode::refused:
  case ErrorCode::too_large:
    file.state = eval::WorkspaceFile::State::no_text;
    file.reason = text.error().message;
    return file;
  default:
    return std::nullopt;
  }
}

Files files_in(const std::string& workspace, const std::set<std::string>& paths) {
  UniqueFd folder(::open(workspace.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Files files;
  for (const std::string& path : paths) {
    std::optional<eval::WorkspaceFile> file = folder ? file_at(folder.get(), path) : std::nullopt;
    if (file) {
      files[path] = std::move(*file);
    }
  }
  return files;
}

// The first characters of what a command printed, its errors after the rest.
std::string printed(const runtime::ChildEnd& end) {
  std::string text = end.output;
  text += text.empty() || text.ends_with('\n') || end.errors.empty() ? "" : "\n";
  text = to_valid_utf8(text + end.errors);
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && characters++ == k_output_characters) {
      text.resize(at);
    }
  }
  return text;
}

} // namespace

WorkspaceGatherer::WorkspaceGatherer(runtime::Pool& pool,
                                     sandbox::Sandbox& sandbox,
                                     std::vector<sandbox::Mount> read_only)
    : m_pool(pool)
    , m_sandbox(sandbox)
    , m_read_only(std::move(read_only)) {}

asio::awaitable<void>
WorkspaceGatherer::gather(const eval::Case& one, const eval::Needs& needs, students::Work& work) {
  if (needs.files.empty() && needs.commands.empty()) {
    co_return;
  }
  if (!work.workspace) {
    auto make = [this, &one, &work] {
      return make_workspace(m_pool, one, work.observation.answer);
    };
    AWAIT(Result<std::shared_ptr<students::Workspace>> made, runtime::offload(m_pool, make));
    if (!made) {
      for (const eval::Needs::Command& command : needs.commands) {
        work.observation.commands[command.position].output = made.error().message;
      }
      co_return; // files stay unknown
    }
    work.workspace = std::move(*made);
  }
  const std::string folder = work.workspace->folder();
  auto look = [&folder, &needs] { return files_in(folder, needs.files); };
  AWAIT(Files files, runtime::offload(m_pool, look));
  for (auto& [path, file] : files) {
    work.observation.files[path] = std::move(file);
  }
  for (const eval::Needs::Command& command : needs.commands) {
    AWAIT(eval::CommandOutcome outcome, run(command, folder, work.observation.answer));
    work.observation.commands[command.position] = std::move(outcome);
  }
}

asio::awaitable<eval::CommandOutcome>
WorkspaceGatherer::run(eval::Needs::Command command, std::string workspace, std::string answer) {
  sandbox::Enclosed enclosed;
  enclosed.program.argv = std::move(command.argv);
  enclosed.program.input = std::move(answer);
  enclosed.program.limit = std::chrono::duration_cast<runtime::Clock::duration>(
      std::chrono::duration<double>(command.seconds));
  enclosed.program.max_output = k_max_printed;
  enclosed.program.max_errors = k_max_printed;
  enclosed.workspace = std::move(workspace);
  enclosed.read_only = m_read_only;
  AWAIT(Result<runtime::ChildEnd> end, m_sandbox.run(std::move(enclosed)));
  eval::CommandOutcome outcome;
  if (!end) {
    const Error& error = end.error();
    outcome.output = error.message + (error.hint.empty() ? "" : " (hint: " + error.hint + ")");
    co_return outcome;
  }
  outcome.timed_out = end->timed_out;
  if (!end->timed_out) {
    outcome.exit_code = end->exit_code;
  }
  outcome.output = printed(*end);
  co_return outcome;
}

} // namespace upskill::evals
