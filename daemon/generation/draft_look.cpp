#include "daemon/generation/draft_look.h"

#include "daemon/await.h"
#include "daemon/generation/script_trial.h"
#include "daemon/runtime/offload.h"
#include "skills/danger/scan.h"
#include "skills/document/inspect.h"
#include "skills/redact/json_redactor.h"

#include <algorithm>
#include <utility>

namespace upskill::generation {
namespace {

constexpr int k_most_numbers = 1000; // of a name that is taken

// What a rule is sure of becomes a mark; what it suspects is told.
void clean(std::string& text, const redact::RuleSet& rules, generate::Draft& draft) {
  redact::Counts counts = redact::redact_text(text, rules);
  for (const redact::Counts::OfRule& of : counts.by_rule) {
    const redact::Rule& rule = rules.rules()[of.rule];
    draft.warnings.push_back(rule.confidence == redact::Confidence::definite
                                 ? "a secret that the teacher wrote was taken out (`" + rule.id
                                       + "`)"
                                 : "what may be a secret is in it (`" + rule.id + "`): look at it");
  }
}

void clean_all(generate::Draft& draft, const redact::RuleSet& rules) {
  std::string description = draft.description;
  std::string body = draft.body;
  clean(description, rules, draft);
  clean(body, rules, draft);
  draft.description = std::move(description);
  draft.body = std::move(body);
  for (auto& [path, file] : draft.files) {
    clean(file.text, rules, draft);
  }
}

Result<void> check_document(generate::Draft& draft, const std::string& document) {
  document::SkillFolder folder;
  folder.name = draft.name;
  folder.files = 1 + draft.files.size();
  folder.bytes = document.size();
  folder.exists = [&draft](std::string_view path) {
    return path == "SKILL.md" || std::ranges::any_of(draft.files, [&](const auto& file) {
             return file.first == path || file.first.starts_with(std::string(path) + "/");
           });
  };
  SkillValidation found = document::inspect(document, folder);
  if (!found.errors.empty()) {
    return fail(ErrorCode::invalid_argument, "SKILL.md is not valid: " + found.errors.front());
  }
  for (std::string& warning : found.warnings) {
    draft.warnings.push_back(std::move(warning));
  }
  return {};
}

Result<void>
check_danger(generate::Draft& draft, const std::string& document, const redact::RuleSet& rules) {
  danger::SkillFiles files;
  files.push_back({"SKILL.md", document, false});
  for (const auto& [path, file] : draft.files) {
    files.push_back({path, file.text, file.is_program});
  }
  danger::ScanOptions options;
  options.secrets = rules;
  danger::DangerReport report = danger::scan(files, options);
  for (const danger::Finding& finding : report.findings) {
    std::string what = finding.message + " (`" + finding.path + "` line "
                       + std::to_string(finding.line) + ": " + finding.evidence + ")";
    if (finding.severity == danger::Severity::severe) {
      return fail(ErrorCode::refused, "the skill is dangerous: " + what, finding.hint);
    }
    draft.warnings.push_back(std::move(what));
  }
  return {};
}

// One line of all that failed, for the teacher. What this machine lacks is none of its business,
// but that its skill has to do without.
std::string told(const std::vector<FailedScript>& failed) {
  bool are_tried =
      std::ranges::all_of(failed, [](const FailedScript& one) { return one.was_tried; });
  std::string text;
  for (const FailedScript& one : failed) {
    text += (text.empty() ? "`" : ", `") + one.path + "`" + (are_tried ? " " + one.why : "");
  }
  return are_tried
             ? "scripts are run once without arguments and must end with 0: " + text
             : "no script can be tried here, so none is kept: write the skill without " + text;
}

} // namespace

DraftLook::DraftLook(runtime::Pool& pool,
                     runtime::Pool::Share share,
                     sandbox::Sandbox& sandbox,
                     DraftLookOptions options)
    : m_pool(pool)
    , m_share(share)
    , m_sandbox(sandbox)
    , m_options(std::move(options)) {}

asio::awaitable<Result<generate::Draft>> DraftLook::look(generate::Draft draft, bool is_last) {
  auto work = [this, &draft, is_last] { return look_at_text(std::move(draft), is_last); };
  AWAIT(Result<generate::Draft> seen, runtime::offload(m_share, std::move(work)));
  CO_TRY(seen);
  AWAIT(std::vector<FailedScript> failed, try_scripts(m_pool, m_sandbox, *seen, m_options.files));
  if (!failed.empty() && !is_last) {
    co_return fail(ErrorCode::invalid_argument, told(failed));
  }
  for (const FailedScript& one : failed) {
    seen->files.erase(one.path);
    seen->warnings.push_back("the script `" + one.path + "` is left out: it " + one.why);
    if (seen->body.find(one.path) != std::string::npos) {
      seen->warnings.push_back("SKILL.md names `" + one.path + "`, which is left out: look at it");
    }
  }
  co_return seen;
}

Result<generate::Draft> DraftLook::look_at_text(generate::Draft draft, bool is_last) const {
  clean_all(draft, m_options.rules);
  TRY(settle_name(draft, is_last));
  std::string document = generate::write_document(draft);
  TRY(check_document(draft, document));
  TRY(check_danger(draft, document, m_options.rules));
  return draft;
}

Result<void> DraftLook::settle_name(generate::Draft& draft, bool is_last) const {
  if (!m_options.name.empty()) {
    draft.name = m_options.name;
    return {};
  }
  if (!m_options.is_taken || !m_options.is_taken(draft.name)) {
    return {};
  }
  if (!is_last) {
    return fail(ErrorCode::invalid_argument,
                "the name `" + draft.name + "` is taken by another skill",
                "choose another name");
  }
  constexpr std::size_t k_longest = 58; // with a hyphen and four digits 64 at most
  std::string taken = draft.name;
  std::string base = taken.substr(0, k_longest);
  for (int number = 2; number < k_most_numbers; ++number) {
    draft.name = base + (base.ends_with('-') ? "" : "-") + std::to_string(number);
    if (!m_options.is_taken(draft.name)) {
      draft.warnings.push_back("the name `" + taken + "` is taken by another skill");
      return {};
    }
  }
  return fail(ErrorCode::already_exists, "the name `" + taken + "` is taken by another skill");
}

} // namespace upskill::generation
