#include "daemon/capture/redaction_file.h"

#include "protocol/base/atomic_file.h"

#include <sys/stat.h>

namespace upskill::capture {
namespace {

constexpr std::size_t k_max_user_rules = 1u << 20; // bytes, as RuleSet::with takes them

std::int64_t ns_of(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace

FileState state_of(const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) != 0) {
    return {};
  }
  return {
      status.st_dev, status.st_ino, status.st_size, ns_of(status.st_mtim), ns_of(status.st_ctim)};
}

Result<redact::RuleSet> read_rules(const std::string& path) {
  TRY_ASSIGN(redact::RuleSet rules, redact::RuleSet::built_in());
  Result<std::string> text = read_file(path, k_max_user_rules);
  if (!text && text.error().code == ErrorCode::not_found) {
    return rules;
  }
  TRY(text);
  return rules.with(*text, path);
}

} // namespace upskill::capture
