#include "daemon/evals/run_logger.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "protocol/codec/codec.h"
#include "skills/eval/run_csv.h"
#include "skills/eval/run_json.h"
#include "skills/eval/run_log.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

namespace upskill::evals {
namespace {

constexpr int k_max_batches = 10'000;            // of one minute
constexpr std::size_t k_max_answers = 32u << 20; // bytes of answers kept in evaluation.json

std::string name_of(const BatchTime& time) {
  char name[80];
  std::snprintf(name,
                sizeof name,
                "%04d_%02d_%02d_%02d_%02d",
                time.year,
                time.month,
                time.day,
                time.hour,
                time.minute);
  return name;
}

Result<void> make_new_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0) {
    return fail(errno == EEXIST ? Error{ErrorCode::already_exists, "`" + path + "` exists"}
                                : system_error(errno, "cannot make folder `" + path + "`"));
  }
  return {};
}

// mkdir decides who has a name, and never follows a link that lies there.
Result<std::string> new_batch(const std::string& runs_dir, const BatchTime& time) {
  std::string name = name_of(time);
  for (int number = 1; number <= k_max_batches; ++number) {
    std::string id = number == 1 ? name : name + "_" + std::to_string(number);
    Result<void> made = make_new_folder(join_path(runs_dir, id));
    if (made) {
      return id;
    }
    if (made.error().code != ErrorCode::already_exists) {
      return fail(std::move(made).error());
    }
  }
  return fail(ErrorCode::busy,
              "`" + runs_dir + "` has " + std::to_string(k_max_batches) + " batches of this minute",
              "wait a minute, or name another folder with `--runs-dir`");
}

// Answers may be 64 KiB for each of 100,000 samples.
EvalResult bounded(const EvalResult& result) {
  std::size_t bytes = 0;
  EvalResult copy = result;
  bool cut = false;
  for (EvalModelReport& model : copy.models) {
    for (EvalSample& sample : model.samples) {
      bytes += sample.output.size();
      for (EvalCheckReport& check : sample.checks) {
        bytes += check.evidence.size();
      }
      if (bytes > k_max_answers) {
        cut = true;
        sample.output.clear();
        for (EvalCheckReport& check : sample.checks) {
          check.evidence.clear();
        }
      }
    }
  }
  if (cut) {
    copy.warnings.push_back("the answers of later samples are left out of this file");
  }
  return copy;
}

// The files of one new batch. They have what the umask left of the folder's mode, which nobody else
// can have changed: there is no other way to ask for it that threads may use.
class Batch {
public:
  static Result<Batch> open(std::string folder) {
    struct stat status {};

    if (::stat(folder.c_str(), &status) != 0) {
      return fail(system_error(errno, "cannot read `" + folder + "`"));
    }
    return Batch(std::move(folder), status.st_mode & 0644);
  }

  Result<void> write(const std::string& name, std::string_view text) const {
    return write_file_atomically(
        join_path(m_folder, name), text, m_mode, Durability::process_crash);
  }

  Result<void> write(const eval::RunResult& run) const {
    std::string name = "run_" + std::to_string(run.metadata.run_number);
    TRY(make_new_folder(join_path(m_folder, name)));
    TRY(write(name + "/run_metadata.json", eval::run_metadata_json(run.metadata)));
    return write(name + "/run_result.json", eval::run_result_json(run));
  }

private:
  Batch(std::string folder, mode_t mode)
      : m_folder(std::move(folder))
      , m_mode(mode) {}

  std::string m_folder;
  mode_t m_mode;
};

} // namespace

BatchTime BatchTime::local(std::int64_t unix_ms) {
  auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return {
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, unix_ms};
}

Result<std::string> write_batch(const std::string& runs_dir,
                                const EvalResult& result,
                                const BatchTime& time,
                                const std::string& cases_hash) {
  TRY(make_directories(runs_dir));
  TRY_ASSIGN(std::string id, new_batch(runs_dir, time));
  std::string folder = join_path(runs_dir, id);
  TRY_ASSIGN(Batch batch, Batch::open(folder));
  std::vector<eval::RunResult> runs = eval::runs_of(result, id, rfc3339(time.unix_ms), cases_hash);
  for (const eval::RunResult& run : runs) {
    TRY(batch.write(run));
  }
  TRY(batch.write("results.csv", eval::results_csv(runs)));
  TRY(batch.write("batch_summary.json",
                  eval::batch_summary_json(eval::summarise_batch(id, std::move(runs)))));
  EvalResult told = bounded(result);
  told.logs = folder;
  TRY(batch.write("evaluation.json", encode(told) + "\n"));
  return folder;
}

} // namespace upskill::evals
