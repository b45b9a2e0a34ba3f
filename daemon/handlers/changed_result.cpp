#include "daemon/handlers/changed_result.h"

#include "daemon/handlers/watch_verdict.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/eval/changed_junit.h"
#include "skills/eval/changed_markdown.h"
#include "skills/regression/verdict.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_named = 5;

// "2 skills are worse: `a`, `b`".
void add_reason(std::string& text,
                const std::vector<std::string>& names,
                std::string_view one,
                std::string_view many) {
  if (names.empty()) {
    return;
  }
  text += text.empty() ? "" : "; ";
  text += std::to_string(names.size()) + " " + std::string(names.size() == 1 ? one : many) + ":";
  for (std::size_t i = 0; i < names.size() && i < k_most_named; ++i) {
    text += (i == 0 ? " `" : ", `") + to_valid_utf8(names[i]) + "`";
  }
  text += names.size() > k_most_named ? ", ..." : "";
}

Result<void> append(const std::string& path, std::string_view text) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!file) {
    return fail(system_error(errno, "`" + path + "`"));
  }
  while (!text.empty()) {
    ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return fail(system_error(errno, "`" + path + "`"));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void note(EvalChangedResult& result, const std::string& path, Result<void> written) {
  if (written) {
    result.files.push_back(path);
  } else {
    result.warnings.push_back(written.error().message);
  }
}

} // namespace

void settle_verdict(ChangedSkillReport& skill) {
  std::vector<regression::SubjectVerdict> verdicts;
  for (WatchedSubject& one : skill.subjects) {
    if (skill.fate == SkillFate::added && one.reason == WatchReason::nothing_to_lose) {
      one.verdict = WatchVerdict::ok;
    }
    verdicts.push_back({subject_words(one), one.verdict, one.reason, one.why});
  }
  regression::VersionVerdict verdict = regression::verdict_of_version(verdicts);
  skill.verdict = verdict.verdict;
  skill.reason = verdict.reason;
  skill.why = std::move(verdict.why);
}

std::string why_failed(const EvalChangedParams& params, const EvalChangedResult& result) {
  std::vector<std::string> worse;
  std::vector<std::string> faulty;
  std::vector<std::string> undecided;
  for (const ChangedSkillReport& skill : result.skills) {
    if (skill.verdict == WatchVerdict::regressed) {
      worse.push_back(skill.skill);
    }
    if (!skill.faults.empty()) {
      faulty.push_back(skill.skill);
    }
    if (params.fail_on_undecided && skill.verdict == WatchVerdict::undecided
        && skill.reason != WatchReason::no_cases) {
      undecided.push_back(skill.skill);
    }
  }
  std::string text;
  add_reason(text, worse, "skill became worse", "skills became worse");
  add_reason(text, faulty, "skill is invalid or dangerous", "skills are invalid or dangerous");
  add_reason(text, undecided, "skill is undecided", "skills are undecided");
  return text;
}

Result<void> check_files(const EvalChangedParams& params, const std::string& cwd) {
  for (const std::string* named : {&params.junit, &params.markdown}) {
    if (named->empty()) {
      continue;
    }
    const std::string folder = parent_path(normalized_path(*named, cwd));
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      return fail(system_error(errno, "the folder `" + folder + "`"));
    }
  }
  return {};
}

void write_files(const EvalChangedParams& params,
                 const std::string& cwd,
                 EvalChangedResult& result) {
  if (!params.junit.empty()) {
    const std::string path = normalized_path(params.junit, cwd);
    note(result,
         path,
         write_file_atomically(path, eval::changed_junit(result), 0644, Durability::process_crash));
  }
  if (!params.markdown.empty()) {
    const std::string path = normalized_path(params.markdown, cwd);
    note(result, path, append(path, eval::changed_markdown(result)));
  }
}

} // namespace upskill::daemon
