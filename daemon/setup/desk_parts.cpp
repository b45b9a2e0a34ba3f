// SetupDesk: what is no file of an agent's, switched on and off again.
#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "daemon/setup/config_file.h"
#include "daemon/setup/login_unit.h"
#include "daemon/setup/order.h"
#include "daemon/setup/own_skill.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/utf8.h"
#include "skills/agents/table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace upskill::setup {
namespace {

std::string plural(std::size_t number, std::string_view one, std::string_view many) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : many);
}

// Whether it runs no hooks, but where it keeps its sessions is known (OpenCode). VS Code shares the
// row of another agent, and nothing is known of its own.
bool keeps_sessions(const agent_config::Connection& connection) {
  Result<agents::AgentTable> table = agents::AgentTable::built_in();
  const agents::Agent* agent =
      table && connection.id == connection.agent ? table->find(connection.agent) : nullptr;
  return agent != nullptr && !agent->sessions.empty();
}

} // namespace

// Whose sessions are kept from now on: those with hooks, and those without whose files are
// followed. What a person has said of it stays.
Awaitable<void> SetupDesk::switch_capture(Order& order) {
  std::vector<std::string> wanted;
  for (const agent_config::FoundConnection& found : order.connections) {
    if (order.wants_hooks
        && (!found.connection.hooks.events.empty() || keeps_sessions(found.connection))) {
      wanted.push_back(found.connection.agent);
    }
  }
  if (wanted.empty()) {
    co_return Result<void>();
  }
  std::vector<std::string> fresh;
  auto work = [&](archive::Archive& archive) -> Result<void> {
    TRY_ASSIGN(std::vector<store::CaptureRule> rules, archive.store().capture_rules());
    for (const std::string& agent : wanted) {
      bool is_said = std::ranges::any_of(rules, [&](const store::CaptureRule& rule) {
        return rule.folder.empty() && (rule.agent.empty() || rule.agent == agent);
      });
      if (is_said) {
        continue;
      }
      fresh.push_back(agent);
      if (!order.dry_run) {
        TRY(archive.store().put_capture_rule({agent, "", store::Capture::on}));
      }
    }
    return {};
  };
  AWAIT(Result<void> done, m_capture.with(std::move(work)));
  std::string text = "keep the sessions of these agents, without secrets";
  if (!done) {
    order.tell(SetupPart::capture, SetupState::failed, text, &done.error());
    co_return Result<void>();
  }
  if (!order.dry_run && !fresh.empty()) {
    for (const std::string& agent : fresh) {
      order.record.capture.push_back(agent);
    }
    m_capture.follow_soon();
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  bool is_news = !fresh.empty();
  order.tell(SetupPart::capture, is_news ? order.done() : SetupState::unchanged, text);
  (is_news ? order.result.steps : order.result.others).back().agents = is_news ? fresh : wanted;
  co_return Result<void>();
}

Awaitable<void> SetupDesk::end_capture(Order& order) {
  std::vector<std::string> going;
  std::vector<std::string> agents; // of the connections that were named
  for (const std::string& agent : order.record.capture) {
    if (order.named.empty() || std::ranges::find(order.named, agent) != order.named.end()) {
      going.push_back(agent);
    }
  }
  if (going.empty()) {
    co_return Result<void>();
  }
  if (!order.dry_run) {
    auto work = [&](archive::Archive& archive) -> Result<void> {
      TRY_ASSIGN(std::vector<store::CaptureRule> rules, archive.store().capture_rules());
      for (const std::string& agent : going) {
        // One that a person switched off since stays.
        if (std::ranges::find(rules, store::CaptureRule{agent, "", store::Capture::on})
            != rules.end()) {
          TRY(archive.store().remove_capture_rule(agent, ""));
        }
      }
      return {};
    };
    AWAIT(Result<void> done, m_capture.with(std::move(work)));
    if (!done) {
      order.tell(SetupPart::capture, SetupState::failed, "keep no more sessions", &done.error());
      co_return Result<void>();
    }
    std::erase_if(order.record.capture, [&](const std::string& agent) {
      return std::ranges::find(going, agent) != going.end();
    });
    m_capture.follow_soon();
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  order.tell(SetupPart::capture, order.done(), "keep no more sessions; those that are kept stay");
  order.result.steps.back().agents = going;
  co_return Result<void>();
}

Awaitable<void> SetupDesk::switch_sync(Order& order) {
  std::string text = "keep your skills in sync";
  AWAIT(Result<std::shared_ptr<const daemon::Scene>> scene, m_service.scene());
  CO_TRY(scene);
  if ((*scene)->settings.enabled) {
    order.tell(SetupPart::sync, SetupState::unchanged, text);
    co_return Result<void>();
  }
  SyncEnableParams params;
  params.dry_run = order.dry_run;
  if (!order.named.empty()) {
    params.agents = order.agents();
  }
  daemon::SettingsChange change = [params](const daemon::Scene& before) {
    return daemon::with_enabled(before.settings, before.table, params);
  };
  std::size_t steps = 0;
  std::optional<Error> problem;
  if (order.dry_run) {
    AWAIT(Result<sync::Rehearsal> told,
          m_service.rehearse(std::move(change), daemon::HaltedRoots::leave));
    steps = told ? told->round.steps.size() : 0;
    problem = told ? std::nullopt : std::optional(told.error());
  } else {
    AWAIT(Result<sync::Round> done,
          m_service.change(std::move(change), daemon::HaltedRoots::leave));
    steps = done ? done->steps.size() : 0;
    problem = done ? std::nullopt : std::optional(done.error());
    order.record.sync = order.record.sync || done;
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  if (problem) {
    order.tell(SetupPart::sync, SetupState::failed, text, &*problem);
  } else {
    text += steps == 0 ? "" : ": " + plural(steps, "step", "steps");
    order.tell(SetupPart::sync, order.done(), text);
    order.result.steps.back().agents = order.agents();
  }
  co_return Result<void>();
}

Awaitable<void> SetupDesk::end_sync(Order& order) {
  if (!order.record.sync) {
    co_return Result<void>();
  }
  AWAIT(Result<std::shared_ptr<const daemon::Scene>> scene, m_service.scene());
  CO_TRY(scene);
  if ((*scene)->settings.enabled) {
    if (!order.dry_run) {
      daemon::SettingsChange change =
          [](const daemon::Scene& before) -> Result<daemon::SyncSettings> {
        return daemon::with_disabled(before.settings, SyncDisableParams{});
      };
      AWAIT(Result<sync::Round> done,
            m_service.change(std::move(change), daemon::HaltedRoots::leave));
      if (!done) {
        order.tell(SetupPart::sync, SetupState::failed, "switch sync off", &done.error());
        co_return Result<void>();
      }
    }
    order.tell(SetupPart::sync, order.done(), "switch sync off; every copy stays as it is");
  }
  if (!order.dry_run) {
    order.record.sync = false;
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  co_return Result<void>();
}

Awaitable<void> SetupDesk::place_skill(Order& order) {
  std::string text = "the skill `upskill`, which tells agents what we are for";
  sync::Placement skill;
  skill.skill = "upskill";
  skill.content = []() -> Result<sync::SharedFiles> {
    return std::make_shared<const sync::NewFiles>(own_skill());
  };
  skill.base = Digest::from_hex(order.record.skill);
  skill.reason = "set up";
  if (!order.named.empty()) {
    // One that was named may not be here yet; then it has no folder of skills either.
    AWAIT(Result<std::shared_ptr<const daemon::Scene>> scene, m_service.scene());
    CO_TRY(scene);
    skill.agents = order.agents();
    std::erase_if(skill.agents,
                  [&](const std::string& agent) { return !(*scene)->is_detected(agent); });
    if (skill.agents.empty()) {
      Error why{ErrorCode::not_found,
                "these agents are not here yet",
                "start them once, then run `upskill setup` again"};
      order.tell(SetupPart::skill, SetupState::skipped, text, &why);
      co_return Result<void>();
    }
  }
  sync::PlaceOrder what;
  what.skills.push_back(std::move(skill));
  what.dry_run = order.dry_run;
  AWAIT(Result<std::vector<sync::Placed>> placed, m_service.place(std::move(what)));
  if (!placed || placed->empty()) {
    Error none{ErrorCode::internal, "the skill was not looked at"};
    const Error& why = placed ? none : placed.error();
    order.tell(SetupPart::skill, SetupState::failed, text, &why);
    co_return Result<void>();
  }
  const sync::Placed& one = placed->front();
  if (one.state == sync::PlacedState::taken) {
    Error why{ErrorCode::already_exists,
              "another skill of that name is there, and stays",
              "rename it, then run `upskill setup` again"};
    order.tell(SetupPart::skill, SetupState::kept, text, one.in_the_way ? &*one.in_the_way : &why);
    co_return Result<void>();
  }
  bool is_news = !one.paths.empty();
  order.tell(SetupPart::skill, is_news ? order.done() : SetupState::unchanged, text);
  SetupStep& step = is_news ? order.result.steps.back() : order.result.others.back();
  step.agents = one.agents;
  step.path = one.paths.empty() ? "" : one.paths.front();
  if (!order.dry_run && is_news) {
    order.record.skill = one.version.hex();
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  co_return Result<void>();
}

Awaitable<void> SetupDesk::take_skill(Order& order) {
  auto placed = Digest::from_hex(order.record.skill);
  if (!placed) {
    co_return Result<void>();
  }
  std::string text = "the skill `upskill`";
  AWAIT(Result<std::vector<std::optional<Digest>>> there, m_service.look_at("", {"upskill"}));
  bool is_there = there && !there->empty() && there->front();
  if (is_there && *there->front() != *placed) {
    Error why{ErrorCode::refused,
              "it was edited since it was placed, so it stays",
              "`upskill remove upskill` removes it"};
    order.tell(SetupPart::skill, SetupState::kept, text, &why);
  } else if (is_there) {
    sync::TakeAwayOrder what;
    what.skills = {"upskill"};
    what.reason = "setup was taken back";
    what.dry_run = order.dry_run;
    AWAIT(Result<std::vector<sync::TakenAway>> taken, m_service.take_away(std::move(what)));
    if (!taken) {
      order.tell(SetupPart::skill, SetupState::failed, text, &taken.error());
      co_return Result<void>();
    }
    order.tell(SetupPart::skill, order.done(), text + " goes into the trash");
    bool has_path = !taken->empty() && !taken->front().paths.empty();
    order.result.steps.back().path = has_path ? taken->front().paths.front() : "";
  }
  if (!order.dry_run) {
    order.record.skill.clear();
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  co_return Result<void>();
}

Awaitable<void> SetupDesk::start_at_login(Order& order) {
  const std::string text = "start the daemon at login";
  if (auto why = why_no_login(m_service.environment())) {
    order.tell(SetupPart::login, SetupState::skipped, text, &*why);
    co_return Result<void>();
  }
  std::string path = unit_path(places());
  std::string unit = login_unit(parent_path(order.result.program) + "/upskilld");
  Result<std::string> there = read_file(path, 1u << 20);
  bool is_ours = order.record.unit == path;
  if (there && *there == unit) {
    order.tell(SetupPart::login, SetupState::unchanged, text);
    co_return Result<void>();
  }
  if (there && !is_ours) {
    Error why{ErrorCode::already_exists,
              in_backticks(path) + " is there and says something else; it stays",
              "`upskill daemon unit` prints ours"};
    order.tell(SetupPart::login, SetupState::kept, text, &why);
    co_return Result<void>();
  }
  if (!order.dry_run) {
    const std::vector<std::string> folders = folders_to_make(path);
    Result<void> written = make_directories(parent_path(path));
    written = written ? write_file_atomically(path, unit) : written;
    Result<void> enabled = written;
    if (written) {
      AWAIT(enabled, systemctl(m_service.environment(), {"enable", k_unit_name}));
    }
    if (!enabled) {
      ::unlink(path.c_str());
      remove_folders(folders);
      order.tell(SetupPart::login, SetupState::failed, text, &enabled.error());
      co_return Result<void>();
    }
    order.record.unit = path;
    order.record.unit_hash = sha256(unit).hex();
    if (!is_ours) {
      order.record.unit_folders = folders;
    }
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  order.tell(SetupPart::login, order.done(), text);
  order.result.steps.back().path = path;
  co_return Result<void>();
}

Awaitable<void> SetupDesk::end_login(Order& order) {
  if (order.record.unit.empty()) {
    co_return Result<void>();
  }
  const std::string text = "start the daemon at login no more";
  const std::string path = order.record.unit;
  Result<std::string> there = read_file(path, 1u << 20);
  bool is_ours = there && sha256(*there).hex() == order.record.unit_hash;
  if (there && !is_ours) {
    Error why{ErrorCode::refused,
              in_backticks(path) + " was edited since it was written, so it stays",
              "`systemctl --user disable upskilld` ends it"};
    order.tell(SetupPart::login, SetupState::kept, text, &why);
  } else if (there) {
    if (!order.dry_run) {
      AWAIT(Result<void> off, systemctl(m_service.environment(), {"disable", k_unit_name}));
      if (!off && !why_no_login(m_service.environment())) {
        order.tell(SetupPart::login, SetupState::failed, text, &off.error());
        co_return Result<void>();
      }
      ::unlink(path.c_str());
      remove_folders(order.record.unit_folders);
    }
    order.tell(SetupPart::login, order.done(), text);
    order.result.steps.back().path = path;
  }
  if (!order.dry_run) {
    order.record.unit.clear();
    order.record.unit_hash.clear();
    order.record.unit_folders.clear();
    AWAIT(Result<void> kept, keep_record(order));
    CO_TRY(kept);
  }
  co_return Result<void>();
}

} // namespace upskill::setup
