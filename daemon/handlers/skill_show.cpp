#include "daemon/await.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/document/document.h"
#include "skills/document/inspect.h"
#include "skills/library/folder.h"
#include "skills/sync/scan.h"

#include <fcntl.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_shown = 256u << 10; // bytes of front matter and of body

// A skill that is in no agent's folder.
SkillSummary summary_outside(const SkillPlace& place) {
  SkillSummary summary;
  summary.skill = place.name;
  UniqueFd parent = library::open_folder(AT_FDCWD, place.real_parent.c_str());
  if (parent) {
    sync::ReadResult read = sync::read_skill(parent.get(), place.name, {});
    if (read.stat.presence == sync::Presence::copy) {
      summary.hash = read.tree.hash().hex();
    } else if (!read.stat.problem.empty()) {
      summary.warnings.push_back(read.stat.problem);
    }
  }
  ReplicaPlace& replica = summary.replicas.emplace_back();
  replica.path = place.folder;
  replica.hash = summary.hash;
  return summary;
}

struct Shown {
  SkillPlace place;
  SkillShowResult result = {};
};

Result<Shown> look(const Catalogue& catalogue, const std::string& asked, const std::string& cwd) {
  TRY_ASSIGN(SkillPlace place, find_skill_anywhere(catalogue, asked, cwd));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  Shown shown{std::move(place)};
  FileList files = list_files(skill.get());
  std::string name = document_name(skill.get());
  if (name.empty()) {
    return fail(ErrorCode::not_found, "`" + shown.place.folder + "` has no `SKILL.md`");
  }
  TRY_ASSIGN(FilePart part, read_part(skill.get(), name, 0, k_max_skill_file));
  document::SkillFolder folder;
  folder.name = shown.place.name;
  folder.files = files.files.size();
  folder.bytes = files.bytes;
  folder.exists = [&skill](std::string_view path) {
    return open_inside(skill.get(), std::string(path), O_PATH).has_value();
  };
  SkillValidation validation = document::inspect(part.bytes, folder);
  document::Document parsed = document::read_document(part.bytes);
  SkillShowResult& result = shown.result;
  result.files = std::move(files.files);
  result.loaders = std::move(validation.loaders);
  result.errors = std::move(validation.errors);
  result.front_matter = to_valid_utf8(utf8_prefix(parsed.parts.yaml, k_max_shown));
  result.body = to_valid_utf8(utf8_prefix(parsed.parts.body, k_max_shown));
  if (!shown.place.row) {
    result.summary = summary_outside(shown.place);
  }
  result.summary.description = to_valid_utf8(parsed.description);
  result.summary.tokens = validation.tokens;
  result.summary.warnings.insert(
      result.summary.warnings.end(), validation.warnings.begin(), validation.warnings.end());
  return shown;
}

} // namespace

Awaitable<SkillShowResult>
show_skill(SkillLibrary& library, SkillShowParams params, RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto job = [&] { return look(**catalogue, params.skill, context.caller.cwd); };
  AWAIT(Result<Shown> shown, runtime::offload(library.pool(context), std::move(job)));
  CO_TRY(shown);
  if (!shown->place.row) {
    co_return std::move(shown->result);
  }
  std::vector<std::uint32_t> rows{*shown->place.row};
  AWAIT(Result<std::vector<SkillSummary>> summaries,
        library.summaries(*catalogue, std::move(rows), context));
  CO_TRY(summaries);
  SkillSummary& summary = summaries->front();
  summary.description = std::move(shown->result.summary.description);
  summary.tokens = shown->result.summary.tokens;
  for (std::string& warning : shown->result.summary.warnings) {
    if (std::ranges::find(summary.warnings, warning) == summary.warnings.end()) {
      summary.warnings.push_back(std::move(warning));
    }
  }
  shown->result.summary = std::move(summary);
  co_return std::move(shown->result);
}

} // namespace upskill::daemon
