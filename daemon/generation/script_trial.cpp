#include "daemon/generation/script_trial.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/students/workspace_folder.h"
#include "protocol/base/utf8.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace upskill::generation {
namespace {

constexpr auto k_limit = std::chrono::seconds(20);
constexpr std::size_t k_told = 200; // bytes of what it printed

// Its first line says what it runs in; what is no program yet becomes one.
constexpr std::string_view k_run = "chmod +x \"$1\" && exec \"./$1\"";

std::string last_line(const runtime::ChildEnd& end) {
  std::string text = to_valid_utf8(end.errors.empty() ? end.output : end.errors);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  std::string line = text.substr(text.rfind('\n') + 1);
  return std::string(utf8_prefix(line, k_told));
}

// Who reads it has no other place to be told what helps.
std::string not_tried(const Error& error) {
  return "could not be tried: " + error.message + (error.hint.empty() ? "" : "; " + error.hint);
}

std::string why_failed(const Result<runtime::ChildEnd>& end) {
  if (!end) {
    return not_tried(end.error());
  }
  if (end->timed_out) {
    return "did not end within 20 s";
  }
  if (end->is_success()) {
    return {};
  }
  std::string why = end->exit_code ? "ended with code " + std::to_string(*end->exit_code)
                                   : "was ended by a signal";
  std::string line = last_line(*end);
  return why + (line.empty() ? "" : ": " + line);
}

std::map<std::string, std::string> files_of(const generate::Draft& draft) {
  std::map<std::string, std::string> files{{"SKILL.md", generate::write_document(draft)}};
  for (const auto& [path, file] : draft.files) {
    files.emplace(path, file.text);
  }
  return files;
}

asio::awaitable<std::string> try_one(runtime::Pool& pool,
                                     sandbox::Sandbox& sandbox,
                                     const generate::Draft& draft,
                                     std::string path) {
  using Made = Result<std::shared_ptr<students::WorkspaceFolder>>;
  auto make = [&]() -> Made { return students::WorkspaceFolder::make(pool, files_of(draft)); };
  AWAIT(Made folder, runtime::offload(pool, std::move(make)));
  if (!folder) {
    co_return not_tried(folder.error());
  }
  sandbox::Enclosed enclosed;
  enclosed.program.argv = {"/bin/sh", "-c", std::string(k_run), "sh", std::move(path)};
  enclosed.program.limit = k_limit;
  enclosed.workspace = (*folder)->folder();
  AWAIT(Result<runtime::ChildEnd> end, sandbox.run(std::move(enclosed)));
  co_return why_failed(end);
}

} // namespace

asio::awaitable<std::vector<FailedScript>>
try_scripts(runtime::Pool& pool,
            sandbox::Sandbox& sandbox,
            generate::Draft draft,
            const std::map<std::string, generate::DraftFile>& known) {
  std::vector<FailedScript> failed;
  std::optional<Result<void>> works; // asked where there is something to try
  for (const auto& [path, file] : draft.files) {
    auto same = known.find(path);
    if (!file.is_program || (same != known.end() && same->second == file)) {
      continue;
    }
    if (!works) {
      AWAIT(works, sandbox.check());
    }
    if (!*works) {
      failed.push_back({path, not_tried(works->error()), false});
      continue;
    }
    AWAIT(std::string why, try_one(pool, sandbox, draft, path));
    if (!why.empty()) {
      failed.push_back({path, std::move(why)});
    }
  }
  co_return failed;
}

} // namespace upskill::generation
