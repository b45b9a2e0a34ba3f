#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "protocol/methods.h"

#include <algorithm>
#include <array>

namespace upskill::cli {
namespace {

constexpr std::size_t k_most_steps = 20; // shown of each kind

struct Kind {
  SyncAction action;
  std::string_view sign;
  Tint tint;
  std::string_view meaning;
};

// In the order in which a person wants to know: what could hurt comes last, next to the question.
constexpr std::array<Kind, 9> k_kinds{
    {{SyncAction::adopt, "=", Tint::dim, "already the same, taken under sync"},
     {SyncAction::create, "+", Tint::green, "new copies"},
     {SyncAction::link, ">", Tint::green, "new links"},
     {SyncAction::update, "~", Tint::cyan, "copies brought up to date"},
     {SyncAction::merge, "~", Tint::cyan, "merged from several changed copies"},
     {SyncAction::unlink, "-", Tint::yellow, "links taken away"},
     {SyncAction::remove, "-", Tint::red, "moved to the trash"},
     {SyncAction::conflict, "!", Tint::yellow, "conflicts: the losing versions are kept"},
     {SyncAction::hold, "!", Tint::yellow, "held until you decide"}}};

void print_rest(Page& page, std::size_t total) {
  if (total > k_most_steps) {
    page.line(page.tint(Tint::dim,
                        "  and " + grouped(static_cast<long long>(total - k_most_steps))
                            + " more; --json lists all"));
  }
}

// A conflict, and the places to which the version that wins it goes.
struct Won {
  const SyncStep* first;
  std::string places;
};

// Nothing where the steps do not tell who wins.
std::vector<Won> conflicts_won(const Page& page, const std::vector<SyncStep>& steps) {
  std::vector<Won> all;
  for (const SyncStep& step : steps) {
    if (step.action != SyncAction::conflict) {
      continue;
    }
    if (step.from.empty() || step.path.empty()) {
      return {};
    }
    auto known = std::ranges::find_if(all, [&](const Won& won) {
      return won.first->skill == step.skill && won.first->from == step.from;
    });
    if (known == all.end()) {
      all.push_back({&step, page.path(step.path)});
    } else {
      known->places += ", " + page.path(step.path);
    }
  }
  return all;
}

// One paragraph for each, never cut: who is asked must know which copy stays.
void print_conflicts(Page& page, const std::vector<Won>& all) {
  for (std::size_t i = 0; i < all.size() && i < k_most_steps; ++i) {
    const SyncStep& step = *all[i].first;
    page.paragraph("! " + clean_line(step.skill) + ": " + page.path(step.from)
                       + " wins and stays; it goes to " + all[i].places
                       + ", and what lies there is kept as a conflict version"
                       + (step.reason.empty() ? "" : " (" + page.prose(step.reason) + ")"),
                   2);
  }
  print_rest(page, all.size());
}

void print_steps(Page& page, const std::vector<SyncStep>& steps) {
  const std::vector<Won> won = conflicts_won(page, steps);
  for (const Kind& kind : k_kinds) {
    Table table({{""}, {""}, {"", Fit::shrinks}, {"", Fit::shrinks}});
    std::size_t total = 0;
    for (const SyncStep& step : steps) {
      if (step.action != kind.action || ++total > k_most_steps) {
        continue;
      }
      std::string why = page.prose(step.reason);
      if (why.empty() && !step.from.empty()) {
        why = "from " + page.path(step.from);
      }
      table.add({{std::string(kind.sign), kind.tint},
                 {step.skill},
                 {step.path.empty() ? "" : page.path(step.path)},
                 {why, Tint::dim}});
    }
    if (total == 0) {
      continue;
    }
    bool is_told = kind.action == SyncAction::conflict && !won.empty();
    total = is_told ? won.size() : total;
    page.line();
    page.line(page.tint(kind.tint, enum_name(kind.action)) + " "
              + page.tint(Tint::bold, grouped(static_cast<long long>(total))) + "  "
              + page.tint(Tint::dim, kind.meaning));
    if (is_told) {
      print_conflicts(page, won);
      continue;
    }
    table.print(page, 2);
    print_rest(page, total);
  }
}

// Wrapped rather than cut: the reason is what a person needs.
void print_left_out(Page& page, const std::vector<LeftOut>& left_out) {
  if (left_out.empty()) {
    return;
  }
  page.line();
  page.line(page.tint(Tint::red, "left out") + " "
            + page.tint(Tint::bold, grouped(static_cast<long long>(left_out.size()))) + "  "
            + page.tint(Tint::dim, "not synced until it is put right"));
  for (std::size_t i = 0; i < left_out.size() && i < k_most_steps; ++i) {
    page.paragraph("x " + clean_line(left_out[i].skill) + ": " + page.prose(left_out[i].reason), 2);
  }
  print_rest(page, left_out.size());
}

// What is off is only what was asked for: the user's skills or one project's.
void show_disabled(Page& page, const Invocation& invocation, const SyncPlanResult& result) {
  std::optional<std::string> project = invocation.value("project");
  std::string what = project ? "Sync of `" + page.path(*project) + "` " : std::string("Sync ");
  page.line(what + (invocation.flag("dry_run") ? "would be switched off" : "is off")
            + "; every copy stays as it is.");
  if (result.enabled && !invocation.flag("dry_run")) {
    page.line("What else is under sync stays so: `upskill sync status`");
  }
}

bool only_planned(const Invocation& invocation) {
  return invocation.flag("dry_run")
         || (invocation.command.method != nullptr
             && invocation.command.method->name == "sync_plan");
}

void print_settled(Page& page, const Invocation& invocation, const SyncNowResult& result) {
  for (std::int64_t id : result.settled) {
    page.line("Conflict " + std::to_string(id)
              + (only_planned(invocation) ? " would be settled." : " is settled."));
  }
  for (std::int64_t id : result.opened) {
    bool is_back =
        invocation.command.method != nullptr && invocation.command.method->name == k_sync_undo.name;
    page.line("Conflict " + std::to_string(id) + (is_back ? " waits again." : " waits."));
  }
}

// Something may be decided all the same by who takes one thing back or settles one.
std::string_view nothing_done(const Invocation& invocation) {
  bool decides = invocation.command.method != nullptr
                 && invocation.command.method->effect == Effect::destructive;
  return only_planned(invocation)
             ? (decides ? "No copy would change." : "There would be nothing to do.")
             : (decides ? "No copy was changed." : "There was nothing to do.");
}

} // namespace

void show(Page& page, const Invocation& invocation, const SyncPlanResult& result) {
  bool planned = only_planned(invocation);
  std::string_view name =
      invocation.command.method == nullptr ? "" : invocation.command.method->name;
  if (name == "sync_disable") {
    show_disabled(page, invocation, result);
    return;
  }
  page.headline(planned          ? "What sync would do"
                : result.enabled ? "Sync is on"
                                 : "Sync is off",
                "; policy " + std::string(enum_name(result.policy)) + "; agents "
                    + (result.agents.empty() ? "none" : joined(result.agents)));
  if (!result.roots.empty()) {
    page.line();
    Table roots(
        {{"FOLDER", Fit::shrinks}, {"STATE"}, {"SKILLS", Fit::right}, {"AGENTS", Fit::shrinks}});
    for (const RootStatus& root : result.roots) {
      roots.add({{page.path(root.path)},
                 {std::string(enum_name(root.state)),
                  root.state == RootState::ok || root.state == RootState::absent ? Tint::plain
                                                                                 : Tint::red},
                 {grouped(root.skills)},
                 {joined(root.agents), Tint::dim}});
    }
    roots.print(page, 2);
  }
  print_steps(page, result.steps);
  print_left_out(page, result.left_out);
  page.line();
  if (name == k_sync_plan.name && !result.enabled) {
    page.paragraph(
        "Sync is off, so nothing would be done. `upskill sync enable --dry-run` shows what "
        "it would do once it is on.");
  } else if (result.agents.empty()) {
    page.paragraph("No coding agent takes part, so there is nowhere to copy to. `upskill agents "
                   "--all` lists those that are known.");
  } else if (result.steps.empty() && result.in_sync == 0) {
    bool empty =
        std::ranges::all_of(result.roots, [](const RootStatus& root) { return root.skills == 0; });
    page.line(empty && result.left_out.empty()
                  ? "There is no skill yet: put one into any of these folders."
                  : "There is nothing to copy.");
  } else {
    if (result.in_sync > 0) {
      page.line(count(result.in_sync, "skill needs", "skills need") + " nothing.");
    }
    if (!result.steps.empty()) {
      page.line("Nothing is lost: replaced versions are kept.");
    }
  }
}

void show(Page& page, const Invocation& invocation, const SyncNowResult& result) {
  if (result.steps.empty()) {
    page.line(nothing_done(invocation));
  } else {
    page.line(page.tint(Tint::bold, only_planned(invocation) ? "What would be done" : "Done"));
    print_steps(page, result.steps);
  }
  print_settled(page, invocation, result);
  if (result.conflicts > 0 || result.held > 0) {
    page.line();
    page.line(waiting(result.conflicts, result.held) + ": `upskill sync conflicts`");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
