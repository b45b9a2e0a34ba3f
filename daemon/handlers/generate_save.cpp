#include "daemon/handlers/generate_save.h"

#include "protocol/base/utf8.h"
#include "skills/eval/cases.h"
#include "skills/generate/prompt_words.h"
#include "skills/generate/propose.h"
#include "skills/store/inbox.h"
#include "skills/store/trash.h"
#include "skills/sync/put_skill.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_told_task = 500; // bytes

sync::NewFiles files_of(const generate::Draft& draft) {
  sync::NewFiles files;
  files["SKILL.md"] = {generate::write_document(draft), false};
  for (const auto& [path, file] : draft.files) {
    files[path] = {file.text, file.is_program};
  }
  return files;
}

// A file of test cases that says more than ours can is the person's own, and stays as it is: all of
// it counts, not only the cases that were asked.
bool keeps_its_meta(const sync::NewFiles& placed) {
  auto found = placed.find("skill_meta.json");
  if (found == placed.end()) {
    return false;
  }
  Result<eval::CaseSuite> cases = eval::read_cases(found->second.bytes);
  return cases ? !std::ranges::all_of(cases->cases, generate::is_plain)
               : cases.error().code != ErrorCode::not_found;
}

// What a task is about, so that what a person declines is not proposed from its sessions either.
std::string topic_of(const std::string& task) {
  std::vector<std::string> words;
  for (const generate::PromptWord& word : generate::words_of_prompt(task)) {
    if (!generate::is_common_word(word) && words.size() < generate::k_fingerprint_words) {
      words.push_back(word.text);
    }
  }
  std::ranges::sort(words);
  std::string topic;
  for (const std::string& word : words) {
    topic += (topic.empty() ? "" : " ") + word;
  }
  return topic;
}

} // namespace

Result<Saved> save(const generate::Draft& draft,
                   const generate::SkillMeta& meta,
                   const GenerateRequest& request,
                   const Places& places,
                   std::int64_t now_ms) {
  sync::NewFiles files = files_of(draft);
  Saved saved;
  saved.folder = request.output.empty() ? join_path(request.folder, draft.name) : request.output;
  std::optional<Digest> expected;
  generate::SkillMeta whole = meta;
  bool has_own_meta = false;
  if (request.improved && saved.folder == request.improved->folder) {
    expected = request.improved->hash;
    TRY_ASSIGN(std::optional<sync::PlacedSkill> placed, sync::read_placed(saved.folder));
    if (placed) {
      has_own_meta = keeps_its_meta(placed->files);
      files = sync::merge_with_old(std::move(files), *placed);
    }
    const std::vector<eval::Case>& own = request.improved->own_cases.cases;
    whole.tests.cases.insert(whole.tests.cases.begin(), own.begin(), own.end());
  }
  if (!has_own_meta) {
    files["skill_meta.json"] = {generate::write_skill_meta(whole), false};
  }
  sync::Filesystem disk;
  store::Trash trash(join_path(places.data, "trash"));
  TRY_ASSIGN(sync::PutOutcome put,
             sync::put_skill(disk, trash, saved.folder, files, expected, now_ms));
  saved.hash = put.hash.hex();
  saved.replaced = std::move(put.replaced);
  return saved;
}

Result<Saved> put_into_inbox(const generate::Draft& draft,
                             const generate::SkillMeta& meta,
                             const GenerateResult& result,
                             const Places& places,
                             std::int64_t now_ms) {
  store::InboxFiles files;
  files["SKILL.md"] = {generate::write_document(draft), false};
  files["skill_meta.json"] = {generate::write_skill_meta(meta), false};
  for (const auto& [path, file] : draft.files) {
    files[path] = {file.text, file.is_program};
  }
  store::InboxOrigin why;
  why.skill = draft.name;
  why.reason = "an agent asked for it: " + std::string(utf8_prefix(meta.source_task, k_told_task));
  for (const GenerateEvidence& evidence : result.evidence) {
    why.sessions.push_back(evidence.session);
  }
  why.model = meta.generated_by;
  why.created_ms = now_ms;
  why.fingerprint = topic_of(meta.source_task);
  why.warnings = result.warnings;
  store::Inbox inbox(join_path(places.data, "inbox"));
  TRY_ASSIGN(store::InboxEntry entry, inbox.add(std::move(why), files));
  return Saved{std::move(entry.folder), {}, {}};
}

} // namespace upskill::daemon
