#include "daemon/handlers/install_answers.h"

#include "daemon/await.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/short_list.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_short_findings = 5;
constexpr std::size_t k_short_diff = 2000; // code points

// A path that is there before a skill of that name: what a person sees is what they name.
FolderOf folder_of(std::shared_ptr<const Catalogue> catalogue, std::string cwd) {
  return [catalogue = std::move(catalogue), cwd = std::move(cwd)](const std::string& asked) {
    return named_folder(*catalogue, asked, cwd);
  };
}

void shorten(std::vector<DangerFinding>& findings) {
  if (findings.size() > k_short_findings) {
    findings.resize(k_short_findings);
  }
}

template <class R> void keep_short(R& result) {
  std::size_t left_out = keep_fitting(result.skills, k_short_answer);
  if (left_out > 0) {
    result.warnings.push_back(std::to_string(left_out)
                              + " more are not shown: name those that you mean with `skill`");
  }
}

} // namespace

Awaitable<ScanResult> scan_skills(SkillLibrary& library,
                                  InstallDesk& desk,
                                  ScanParams params,
                                  InstallCall call,
                                  RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  FolderOf find = folder_of(*catalogue, call.cwd);
  AWAIT(Result<ScanResult> result, desk.scan(std::move(params), std::move(find), std::move(call)));
  co_return result;
}

Awaitable<PackResult> pack_skill(SkillLibrary& library,
                                 InstallDesk& desk,
                                 PackParams params,
                                 InstallCall call,
                                 RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  FolderOf find = folder_of(*catalogue, call.cwd);
  AWAIT(Result<PackResult> result, desk.pack(std::move(params), std::move(find), std::move(call)));
  co_return result;
}

Awaitable<FindResult> find_skills(SkillLibrary& library,
                                  InstallDesk& desk,
                                  FindParams params,
                                  InstallCall call,
                                  RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  std::vector<FoundOffer> here;
  for (std::uint32_t row = 0; row < (*catalogue)->size(); ++row) {
    SkillSummary known = (*catalogue)->summary(row);
    FoundOffer& offer = here.emplace_back();
    offer.skill = std::move(known.skill);
    offer.description = std::move(known.description);
    offer.installed = true;
    offer.agents = std::move(known.agents);
  }
  AWAIT(Result<FindResult> result, desk.find(std::move(params), std::move(here), std::move(call)));
  co_return result;
}

void shorten(InstallResult& result) {
  for (InstalledSkill& skill : result.skills) {
    cut_text(skill.description, k_listed_description);
    shorten(skill.findings);
  }
  keep_short(result);
}

void shorten(UpdateResult& result) {
  for (UpdatedSkill& skill : result.skills) {
    cut_text(skill.diff, k_short_diff);
    shorten(skill.findings);
  }
  keep_short(result);
}

void shorten(RemoveResult& result) {
  keep_short(result);
}

} // namespace upskill::daemon
