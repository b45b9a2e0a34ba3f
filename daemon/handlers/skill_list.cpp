#include "daemon/await.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/handlers/text_search.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/bounds.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

Result<CatalogueFilter> filter_of(const SkillListParams& params, const Scene& scene) {
  CatalogueFilter filter;
  if (params.query.size() > k_max_query) {
    return fail(ErrorCode::invalid_argument,
                "params.query: is longer than " + std::to_string(k_max_query) + " bytes");
  }
  filter.words = query_words(params.query);
  filter.agent = params.agent;
  if (!params.agent.empty()
      && std::ranges::find(scene.enabled, params.agent) == scene.enabled.end()) {
    bool is_known = scene.table.find(params.agent) != nullptr;
    return fail(ErrorCode::invalid_argument,
                "params.agent: `" + params.agent + "` "
                    + (is_known ? "was not found on this machine, or takes no part"
                                : "is no agent that we know"),
                is_known ? "`upskill agents` lists those that take part"
                         : "`upskill agents --all` lists them");
  }
  if (params.scope == "user" || params.scope == "project") {
    filter.scope = params.scope == "user" ? Scope::user : Scope::project;
  } else if (!params.scope.empty()) {
    return fail(ErrorCode::invalid_argument, "params.scope: must be `user`, `project` or empty");
  }
  return filter;
}

} // namespace

Awaitable<SkillListResult>
list_skills(SkillLibrary& library, SkillListParams params, RequestContext context) {
  if (params.limit < 1 || params.limit > static_cast<std::int64_t>(k_max_page)) {
    co_return fail(ErrorCode::invalid_argument, "params.limit: must be from 1 to 1000");
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  AWAIT(Result<std::shared_ptr<const Scene>> scene, library.service().scene());
  CO_TRY(scene);
  CO_TRY_ASSIGN(CatalogueFilter filter, filter_of(params, **scene));
  CO_TRY_ASSIGN(std::uint32_t from, (*catalogue)->row_after(params.cursor));
  auto limit = static_cast<std::size_t>(params.limit);
  CataloguePage page;
  if (filter.words.empty()) {
    page = (*catalogue)->select(filter, from, limit);
  } else {
    auto search = [&] { return (*catalogue)->select(filter, from, limit); };
    AWAIT(page, runtime::offload(library.pool(context), std::move(search)));
  }
  SkillListResult result;
  if (std::optional<Error> stopped = library.service().why_stopped()) {
    result.warnings.push_back("sync is on, but stopped: " + stopped->message
                              + (stopped->hint.empty() ? "" : " (" + stopped->hint + ")"));
  }
  if ((*scene)->sync_is_on() && (*scene)->enabled.empty()) {
    result.warnings.push_back("no coding agent takes part; `upskill sync status` says more");
  }
  for (const agents::Detected& agent : (*scene)->detected) {
    if (std::ranges::find((*scene)->enabled, agent.id) == (*scene)->enabled.end()) {
      result.left_out.push_back(agent.id);
    }
  }
  result.total = page.total;
  if (page.more) {
    result.next_cursor = (*catalogue)->cursor_after(page.rows.back());
  }
  AWAIT(Result<std::vector<SkillSummary>> summaries,
        library.summaries(*catalogue, page.rows, context));
  CO_TRY(summaries);
  result.skills = std::move(*summaries);
  if (!params.replicas) {
    for (SkillSummary& skill : result.skills) {
      skill.replicas.clear();
    }
  }
  if (is_for_model(context)) {
    std::ranges::for_each(result.skills, [](SkillSummary& skill) { shorten(skill); });
    if (keep_fitting(result.skills, k_short_answer) > 0) {
      result.next_cursor = (*catalogue)->cursor_after(page.rows[result.skills.size() - 1]);
    }
  }
  co_return result;
}

} // namespace upskill::daemon
