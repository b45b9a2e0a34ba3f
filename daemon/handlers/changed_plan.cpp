#include "daemon/handlers/changed_plan.h"

#include "daemon/handlers/skill_faults.h"
#include "daemon/handlers/watch_tier_zero.h"
#include "daemon/handlers/watch_version.h"
#include "protocol/base/paths.h"
#include "skills/config/watch.h"
#include "skills/regression/test.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_runs = 3;

SkillPlace place_at(const std::string& top, const std::string& folder) {
  SkillPlace place;
  place.folder = folder.empty() ? top : join_path(top, folder);
  place.name = base_name(place.folder);
  place.real_parent = parent_path(place.folder);
  return place;
}

// One skill, read step by step.
class Reader {
public:
  Reader(const Catalogue& catalogue,
         const ChangedFolders& folders,
         const EvalParams& params,
         const Asker& asker)
      : m_catalogue(catalogue)
      , m_folders(folders)
      , m_params(params)
      , m_asker(asker) {}

  Result<ChangedSkill> read(const TouchedSkill& touched) {
    ChangedSkill skill;
    ChangedSkillReport& told = skill.told;
    told.path = touched.folder;
    told.fate = touched.fate;
    told.from = touched.fate == SkillFate::renamed ? touched.from : std::string();
    const SkillPlace now = place_at(m_folders.now, touched.folder);
    told.skill = now.name;
    if (touched.fate == SkillFate::removed) {
      end(told, WatchVerdict::ok, WatchReason::held, "it is not there any more");
      return skill;
    }
    Result<WatchedVersion> version = read_version(now);
    if (!version) {
      told.faults.push_back("it cannot be read: " + version.error().message);
      end(told, WatchVerdict::undecided, WatchReason::errors, version.error().message);
      return skill;
    }
    told.hash = version->hash.hex();
    told.problems = tier_zero(now, *version, nullptr).problems;
    std::vector<SkillFault> faults = faults_of(now, *version);
    const SkillPlace old = place_at(m_folders.base, touched.from);
    regression::NeededTests needed{.answers = {.all = true}};
    if (touched.fate == SkillFate::added) {
      told.faults = new_faults({}, faults);
    } else {
      Result<WatchedVersion> before = read_version(old);
      if (!before) {
        told.faults = new_faults({}, faults);
        end(told,
            WatchVerdict::undecided,
            WatchReason::nothing_accepted,
            "its version at the base cannot be read: " + before.error().message);
        return skill;
      }
      told.faults = new_faults(faults_of(old, *before), faults);
      told.base_hash = before->hash.hex();
      regression::ChangedParts changed =
          regression::changed_parts(view_of(*before), view_of(*version));
      for (regression::SkillPart part : changed.parts) {
        told.changed.emplace_back(regression::part_word(part));
      }
      needed = regression::needed_tests(changed);
      // Both versions are asked the cases of the newer one: a case that changed alone would compare
      // a skill with itself.
      if (!needed.answers.all && !needed.trigger.all) {
        end(told,
            WatchVerdict::ok,
            WatchReason::held,
            changed.parts.empty() ? "nothing was changed that an agent notices"
                                  : "only how it is tested was changed");
        return skill;
      }
    }
    TRY(add_parts(
        skill, now, touched.fate == SkillFate::added ? std::string() : old.folder, needed));
    return skill;
  }

private:
  static void
  end(ChangedSkillReport& told, WatchVerdict verdict, WatchReason reason, std::string why) {
    told.verdict = verdict;
    told.reason = reason;
    told.why = std::move(why);
  }

  // `base`: empty for a skill that is new. Then it is held against no skill, which no trigger query
  // can be.
  Result<void> add_parts(ChangedSkill& skill,
                         const SkillPlace& now,
                         const std::string& base,
                         const regression::NeededTests& needed) {
    std::string why_none;
    for (bool triggers : {false, true}) {
      ChangedPart part{m_params};
      part.params.skill = now.folder;
      part.params.against = base;
      part.params.triggers = triggers;
      if (triggers) {
        part.chat = part.others = WatchMeasure::trigger;
        std::erase(part.params.student, "chat"); // which is given the skill
      }
      if (part.params.student.empty() || (triggers && base.empty())) {
        continue;
      }
      Result<EvalRequest> request = read_request(m_catalogue, part.params, m_asker);
      if (!request && is_of_the_call(request.error())) {
        return fail(std::move(request).error());
      }
      if (!request) {
        skill.told.faults.push_back("it cannot be tested: " + request.error().message);
        end(skill.told, WatchVerdict::undecided, WatchReason::errors, request.error().message);
        skill.parts.clear();
        return {};
      }
      if (request->why_no_cases) {
        why_none = why_none.empty() ? request->why_no_cases->message : why_none;
        continue;
      }
      part.request = std::move(*request);
      if (triggers ? needed.trigger.all : needed.answers.all) {
        skill.parts.push_back(std::move(part));
      } else {
        add_untouched(skill.told, part);
      }
    }
    if (skill.parts.empty() && skill.told.subjects.empty()) {
      end(skill.told, WatchVerdict::undecided, WatchReason::no_cases, std::move(why_none));
    }
    return {};
  }

  static void add_untouched(ChangedSkillReport& told, const ChangedPart& part) {
    for (const std::string& model : part.params.model) {
      for (const std::string& student : part.params.student) {
        WatchedSubject& subject = told.subjects.emplace_back();
        subject.model = model;
        subject.student = student;
        subject.measure = part.measure_of(student);
        subject.verdict = WatchVerdict::ok;
        subject.reason = WatchReason::held;
        subject.why = "nothing was changed that it depends on";
      }
    }
  }

  // A script that is not there, or a student that cannot answer: else it is the skill's own.
  bool is_of_the_call(const Error& error) const {
    return error.message.starts_with("params.") || std::ranges::any_of(m_params.model, is_scripted);
  }

  const Catalogue& m_catalogue;
  const ChangedFolders& m_folders;
  const EvalParams& m_params;
  const Asker& m_asker;
};

} // namespace

Result<EvalParams>
changed_params(const EvalChangedParams& asked, const config::Config& config, const Asker& asker) {
  if (asked.base.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.base: is missing",
                "a git ref that skills are held against: `--base origin/main`");
  }
  EvalParams params;
  params.model = asked.model;
  params.student = asked.student.empty() ? std::vector<std::string>{"chat"} : asked.student;
  if (params.model.empty()) {
    params.model.push_back(config.eval_model.empty() ? config.skill_generation_model
                                                     : config.eval_model);
  }
  params.runs = asked.runs.value_or(k_runs);
  params.jobs = asked.jobs ? asked.jobs : config.max_parallel;
  params.budget = asked.budget;
  params.token_budget = asked.token_budget;
  params.base_url = asked.base_url;
  params.no_sandbox = asked.no_sandbox;
  params.judge_model = asked.judge_model.empty() ? config.judge_model : asked.judge_model;
  TRY(check_params(params, asker));
  return params;
}

Result<ChangedPlan> plan_changed(const Catalogue& catalogue,
                                 const std::vector<TouchedSkill>& touched,
                                 const ChangedFolders& folders,
                                 const EvalParams& params,
                                 const config::Config& config,
                                 const Asker& asker) {
  ChangedPlan plan;
  // The skills' own files do not count: whoever proposes a change would set its thresholds.
  regression::WatchSettings settings = config::settings_of(
      "", config.watch, config.project_watch, {}, regression::FileTrust::untrusted, plan.warnings);
  plan.thresholds = settings.thresholds;
  plan.runs = settings.runs.value_or(regression::TestOptions().runs);
  Reader reader(catalogue, folders, params, asker);
  for (const TouchedSkill& one : touched) {
    TRY_ASSIGN(ChangedSkill skill, reader.read(one));
    for (const ChangedPart& part : skill.parts) {
      const std::size_t subjects = part.params.model.size() * part.params.student.size();
      const std::int64_t runs = params.runs.value_or(k_runs);
      const std::int64_t each =
          runs
          + std::min(plan.runs, runs * static_cast<std::int64_t>(regression::k_most_for_accepted));
      plan.subjects += subjects;
      skill.told.planned +=
          each * static_cast<std::int64_t>(part.request.suite.cases.size() * subjects);
    }
    plan.skills.push_back(std::move(skill));
  }
  return plan;
}

} // namespace upskill::daemon
