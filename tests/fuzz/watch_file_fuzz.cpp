#include "protocol/base/utf8.h"
#include "skills/regression/settings_file.h"

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace upskill;
using namespace upskill::regression;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

bool can_be_shown(const std::string& text) {
  return !text.empty() && is_utf8(text) && text.find('\x1b') == std::string::npos;
}

template <class T> bool is_no_more(const std::optional<T>& number, const std::optional<T>& bound) {
  return !bound || (number && *number <= *bound);
}

bool is_no_more(const Allowance& allowance, const Allowance& bound) {
  return is_no_more(allowance.usd, bound.usd) && is_no_more(allowance.tokens, bound.tokens)
         && is_no_more(allowance.runs, bound.runs);
}

// Somebody who bounds everything.
WatchSettings careful_person() {
  return {.mode = WatchMode::ask,
          .models = {"haiku", "sonnet"},
          .students = {"chat", "cli.codex"},
          .runs = 5,
          .budget = {.hour = {.usd = 0.5, .tokens = 1000, .runs = 10},
                     .day = {.usd = 2, .tokens = 5000, .runs = 50}},
          .thresholds = {.drop = 0.2, .alpha = 0.05, .beta = 0.1}};
}

void check_narrowing(const WatchSettings& file) {
  WatchSettings person = careful_person();
  std::vector<std::string> warnings;
  WatchSettings both = combined(person, file, FileTrust::untrusted, warnings);
  promise(both.mode && *both.mode <= WatchMode::ask);
  promise(!both.models.empty() && !both.students.empty());
  for (const std::string& model : both.models) {
    promise(model == "haiku" || model == "sonnet");
  }
  promise(is_no_more(both.runs, person.runs));
  promise(is_no_more(both.budget.hour, person.budget.hour));
  promise(is_no_more(both.budget.day, person.budget.day));
  promise(is_no_more(both.thresholds.drop, person.thresholds.drop));
  promise(is_no_more(both.thresholds.alpha, person.thresholds.alpha));
  promise(is_no_more(both.thresholds.beta, person.thresholds.beta));
  std::vector<std::string> more;
  promise(combined(both, file, FileTrust::untrusted, more) == both);
}

} // namespace

// A skill's `evals/watch.yaml` of any bytes: an error that names the file and can be shown, or
// settings, which with somebody who did not accept them only narrow.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Result<WatchFile> file = read_watch_file(bytes);
  if (!file) {
    promise(can_be_shown(file.error().message) && is_utf8(file.error().hint));
    promise(file.error().message.starts_with(k_watch_file));
    return 0;
  }
  for (const std::string& warning : file->warnings) {
    promise(can_be_shown(warning) && warning.starts_with(k_watch_file));
  }
  promise(file->warnings.size() <= eval::k_max_warnings);
  promise(file->settings.models.size() <= 20 && file->settings.students.size() <= 20);
  check_narrowing(file->settings);
  return 0;
}
