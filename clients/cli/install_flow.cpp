#include "clients/cli/install_flow.h"

#include "clients/cli/text.h"

#include <algorithm>
#include <utility>

namespace upskill::cli {
namespace {

constexpr int k_most_slips = 5;            // of one question, before what is here stays
constexpr std::size_t k_longest_name = 64; // of a skill (Agent Skills specification)

using Decision = Result<std::vector<Invocation>>;

bool comes(const InstalledSkill& skill) {
  return skill.state == InstallState::installed || skill.state == InstallState::updated;
}

bool is_taken(const InstalledSkill& skill) {
  return skill.state == InstallState::taken;
}

Invocation planned(Invocation invocation) {
  invocation.values["dry_run"] = {""};
  return invocation;
}

// Of what was chosen, these and no others.
Invocation for_skills(Invocation invocation, std::vector<std::string> skills) {
  invocation.values.erase("all");
  invocation.values["skill"] = std::move(skills);
  return invocation;
}

// How one of a source's skills is named to it: by its folder where there are two of the name.
std::string told_as(const InstalledSkill& skill, const InstallResult& plan) {
  bool is_one = std::ranges::count(plan.skills, skill.skill, &InstalledSkill::skill) == 1;
  return is_one || skill.from.empty() ? skill.skill : skill.from;
}

void keep_plan(Invocation& invocation, const InstallResult& result) {
  if (!result.plan.empty()) {
    invocation.values["plan"] = {result.plan};
  }
}

bool is_name(std::string_view text) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return text.size() > 1 && text.size() <= k_longest_name
         && text.find_first_not_of(k_letters) == std::string_view::npos && text != "yes"
         && text != "no" && text.front() != '-' && text.back() != '-'
         && text.find("--") == std::string_view::npos;
}

// What becomes of one whose name is taken: nothing where what is here stays.
Result<std::optional<Invocation>> settle(const Invocation& invocation,
                                         const InstalledSkill& skill,
                                         const InstallCall& call,
                                         InstallPerson& person) {
  // With another name, which is the one that is taken, it is the one skill that was named.
  Invocation order = invocation.flag("as") ? invocation : for_skills(invocation, {skill.skill});
  std::string question = "`" + clean_line(skill.skill)
                         + "` is here from elsewhere: [k]eep it, [r]eplace it, or a new name? [k] ";
  for (int slips = 0; slips < k_most_slips; ++slips) {
    TRY_ASSIGN(std::string answer, person.answer(question));
    std::string text = clean_line(answer);
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    if (text.empty() || text == "k" || text == "keep") {
      return std::optional<Invocation>();
    }
    if (text == "r" || text == "replace") {
      order.values["replace"] = {""};
      return std::optional(std::move(order));
    }
    if (!is_name(text)) {
      question = "A name has at least two small letters, digits and single hyphens. Keep, replace, "
                 "or which name? [k] ";
      continue;
    }
    order.values["as"] = {text};
    TRY_ASSIGN(InstallResult plan, call(planned(order)));
    auto found = std::ranges::find_if(plan.skills, comes);
    if (found != plan.skills.end()) {
      return std::optional(std::move(order));
    }
    std::string why = plan.skills.empty() || plan.skills.front().reason.empty()
                          ? "`" + text + "` cannot be its name here"
                          : clean_line(plan.skills.front().reason);
    question = why + ". Keep, replace, or which name? [k] ";
  }
  return std::optional<Invocation>();
}

struct Settled {
  std::vector<Invocation> orders = {};
  long long skills = 0;
};

// One order for all that replace, since an order is all or nothing, and one for each new name.
Result<Settled> settle_taken(const Invocation& invocation,
                             const InstallResult& plan,
                             const InstallCall& call,
                             InstallPerson& person) {
  Settled settled;
  std::vector<std::string> replacing;
  for (const InstalledSkill& skill : plan.skills) {
    if (!is_taken(skill)) {
      continue;
    }
    TRY_ASSIGN(std::optional<Invocation> order, settle(invocation, skill, call, person));
    if (order && order->flag("replace") && !order->flag("as")) {
      replacing.push_back(skill.skill);
    } else if (order) {
      settled.orders.push_back(std::move(*order));
    }
    settled.skills += order ? 1 : 0;
  }
  if (!replacing.empty()) {
    Invocation order = for_skills(invocation, std::move(replacing));
    order.values["replace"] = {""};
    settled.orders.insert(settled.orders.begin(), std::move(order));
  }
  return settled;
}

} // namespace

Decision
decide_install(const Invocation& invocation, const InstallCall& call, InstallPerson& person) {
  Invocation order = invocation;
  TRY_ASSIGN(InstallResult plan, call(planned(order)));
  keep_plan(order, plan);
  if (plan.choose) {
    TRY_ASSIGN(std::vector<std::size_t> places, person.pick(plan));
    std::vector<std::string> names;
    for (std::size_t place : places) {
      names.push_back(told_as(plan.skills[place], plan));
    }
    if (names.empty()) {
      return std::vector<Invocation>();
    }
    order = for_skills(std::move(order), std::move(names));
    TRY_ASSIGN(plan, call(planned(order)));
    keep_plan(order, plan);
  }
  long long coming = std::ranges::count_if(plan.skills, comes);
  bool any_taken = std::ranges::any_of(plan.skills, is_taken);
  if (coming == 0 && !any_taken) {
    return std::vector<Invocation>{std::move(order)};
  }
  person.show(planned(order), plan);
  std::vector<Invocation> orders;
  if (!any_taken) {
    orders.push_back(std::move(order));
  } else {
    // What was decided about them is no failure of the others' order.
    TRY_ASSIGN(Settled settled, settle_taken(order, plan, call, person));
    if (coming > 0) {
      std::vector<std::string> others;
      for (const InstalledSkill& skill : plan.skills) {
        if (!is_taken(skill) && skill.state != InstallState::offered) {
          others.push_back(told_as(skill, plan));
        }
      }
      orders.push_back(for_skills(std::move(order), std::move(others)));
    }
    coming += settled.skills;
    std::ranges::move(settled.orders, std::back_inserter(orders));
    if (orders.empty()) {
      return orders;
    }
  }
  switch (person.agree("Install " + count(coming, "skill", "skills") + "?")) {
  case Reply::yes:
    return orders;
  case Reply::no:
    return std::vector<Invocation>();
  case Reply::interrupted:
    break;
  }
  return fail(ErrorCode::cancelled, "interrupted");
}

InstallResult joined_results(std::vector<InstallResult> results) {
  InstallResult all;
  for (InstallResult& one : results) {
    if (all.source.empty()) {
      all = std::move(one);
      continue;
    }
    for (InstalledSkill& skill : one.skills) {
      bool is_new =
          std::ranges::find(all.skills, skill.skill, &InstalledSkill::skill) == all.skills.end();
      if (skill.state != InstallState::offered || is_new) {
        std::erase_if(all.skills, [&](const InstalledSkill& other) {
          return other.skill == skill.skill && other.state == InstallState::offered;
        });
        all.skills.push_back(std::move(skill));
      }
    }
    for (std::string& warning : one.warnings) {
      if (std::ranges::find(all.warnings, warning) == all.warnings.end()) {
        all.warnings.push_back(std::move(warning));
      }
    }
  }
  std::ranges::sort(all.skills, {}, &InstalledSkill::skill);
  return all;
}

} // namespace upskill::cli
