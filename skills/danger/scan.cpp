#include "skills/danger/scan.h"

#include "skills/danger/checks.h"
#include "skills/danger/compiled_rules.h"
#include "skills/danger/secret_rules.h"

#include <algorithm>

namespace upskill::danger {
namespace {

constexpr Danger k_not_looked_at = {"not-looked-at",
                                    Severity::warning,
                                    "was not looked at: the skill has too many files or bytes",
                                    "look at the rest, or leave it out"};
constexpr Danger k_no_rules = {"no-rules",
                               Severity::severe,
                               "nothing was looked at: the rules of this program are broken",
                               "report it as a bug"};

void check_file_by_file(const FileView& view,
                        const CompiledRules& rules,
                        const redact::RuleSet& secrets,
                        Findings& findings) {
  findings.begin_file();
  check_file(view, findings);
  if (!view.is_text()) {
    return;
  }
  check_characters(view, findings);
  check_secrets(view, secrets, findings);
  check_patterns(view, rules, findings);
  check_blobs(view, rules, findings);
  check_links(view, findings);
  if (view.kind() == FileKind::document) {
    check_capabilities(view, findings);
  }
}

} // namespace

void load_rules() {
  (void)CompiledRules::built_in();
  (void)secret_rules();
}

DangerReport scan(const SkillFiles& files, const ScanOptions& options) {
  Findings findings;
  const Result<CompiledRules>& rules = CompiledRules::built_in();
  Result<redact::RuleSet> secrets =
      options.secrets ? Result<redact::RuleSet>(*options.secrets) : secret_rules();
  if (!rules || !secrets) {
    findings.add_file("", k_no_rules, (rules ? secrets.error() : rules.error()).message);
    return findings.report();
  }
  redact::Redactor redactor(*secrets);
  std::vector<FileView> views;
  views.reserve(std::min(files.size(), k_most_files));
  std::size_t left = k_most_in_all;
  for (const SkillFile& file : files) {
    std::size_t looked_at = std::min({file.bytes.size(), k_most_looked_at, left});
    if (views.size() >= k_most_files || (looked_at == 0 && !file.bytes.empty())) {
      findings.add_file(file.path, k_not_looked_at, std::to_string(file.bytes.size()) + " bytes");
      continue;
    }
    left -= looked_at;
    check_file_by_file(views.emplace_back(file, looked_at, redactor), *rules, *secrets, findings);
  }
  for (const FileView& view : views) {
    if (view.kind() == FileKind::document && view.file().path.find('/') == std::string::npos) {
      findings.begin_file();
      check_name(view, options, findings);
    }
  }
  check_description(views, findings);
  check_lock(files, options, findings);
  return findings.report();
}

} // namespace upskill::danger
