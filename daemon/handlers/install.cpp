#include "daemon/handlers/install.h"

#include "daemon/await.h"
#include "daemon/handlers/install_answers.h"
#include "daemon/handlers/install_asking.h"
#include "daemon/handlers/install_call.h"
#include "daemon/short_list.h"

#include <iterator>
#include <utility>

namespace upskill::daemon {
namespace {

template <class R> void add_warnings(R& result, std::vector<std::string> warnings) {
  std::ranges::move(warnings, std::back_inserter(result.warnings));
}

// What only a person may say; the schema does not show it to agents.
Result<void> check_agents_words(const InstallParams& params) {
  bool is_persons = params.replace || !params.allow.empty();
  return is_persons ? fail(ErrorCode::refused,
                           "only a person may replace a skill, or allow one that is dangerous",
                           "`upskill install` does it at a terminal")
                    : Result<void>{};
}

Result<void> check_agents_words(const UpdateParams& params) {
  bool is_persons = params.take != TakeSide::merge || !params.allow.empty();
  return is_persons ? fail(ErrorCode::refused,
                           "only a person may decide over edits, or allow what is dangerous",
                           "`upskill update` does it at a terminal")
                    : Result<void>{};
}

Result<void> check_agents_words(const RemoveParams&) {
  return {};
}

// At once for a person's own client, which asks by itself; for an agent's, the person is asked.
template <class P, class R, class Work>
void on_asked(Binder& binder, SkillLibrary& library, const Method<P, R>& method, Work work) {
  binder.on(
      method, [&library, &method, work](P params, RequestContext context) -> Awaitable<Asked<R>> {
        AWAIT(Result<ReadCall> read, read_call(library, context));
        CO_TRY(read);
        std::function<Awaitable<R>(P)> run = [&read, work](P order) {
          return work(std::move(order), read->call);
        };
        Result<Asked<R>> answer = Asked<R>(R());
        if (is_for_model(context)) {
          CO_TRY(check_agents_words(params));
        }
        if (!is_for_model(context) || params.dry_run) {
          AWAIT(Result<R> result, run(std::move(params)));
          CO_TRY(result);
          answer = Asked<R>(std::move(*result));
        } else {
          AWAIT(answer,
                ask_first<P, R>(
                    std::move(params), run, read->call.choices.agents, method.command, context));
        }
        CO_TRY(answer);
        if (R* result = std::get_if<R>(&*answer)) {
          add_warnings(*result, std::move(read->warnings));
          if (is_for_model(context)) {
            shorten(*result);
          }
        }
        co_return answer;
      });
}

// The others, which are a person's or read only.
template <class P, class R, class Work>
void on(Binder& binder, SkillLibrary& library, const Method<P, R>& method, Work work) {
  binder.on(method, [&library, work](P params, RequestContext context) -> Awaitable<R> {
    AWAIT(Result<ReadCall> read, read_call(library, context));
    CO_TRY(read);
    AWAIT(Result<R> result, work(std::move(params), *read, context));
    CO_TRY(result);
    if constexpr (requires { result->warnings; }) {
      add_warnings(*result, std::move(read->warnings));
    }
    co_return result;
  });
}

} // namespace

void bind_install_handlers(Binder& binder, SkillLibrary& library, InstallDesk& desk) {
  on_asked(binder, library, k_skill_install, [&desk](InstallParams params, InstallCall call) {
    return desk.install(std::move(params), std::move(call));
  });
  on_asked(binder, library, k_skill_update, [&desk](UpdateParams params, InstallCall call) {
    return desk.update(std::move(params), std::move(call));
  });
  on_asked(binder, library, k_skill_remove, [&desk](RemoveParams params, InstallCall call) {
    return desk.remove(std::move(params), std::move(call));
  });
  on(binder,
     library,
     k_skill_outdated,
     [&desk](OutdatedParams params, ReadCall& read, const RequestContext&) {
       UpdateParams update;
       update.skill = std::move(params.skill);
       update.scope = std::move(params.scope);
       update.project = std::move(params.project);
       update.check = true;
       return desk.update(std::move(update), read.call);
     });
  on(binder,
     library,
     k_skill_rollback,
     [&desk](RollbackParams params, ReadCall& read, const RequestContext&) {
       return desk.roll_back(std::move(params), read.call);
     });
  on(binder,
     library,
     k_skill_scan,
     [&desk, &library](ScanParams params, ReadCall& read, const RequestContext& context) {
       return scan_skills(library, desk, std::move(params), read.call, context);
     });
  on(binder,
     library,
     k_skill_find,
     [&desk, &library](FindParams params, ReadCall& read, const RequestContext& context) {
       return find_skills(library, desk, std::move(params), read.call, context);
     });
  on(binder,
     library,
     k_skill_pack,
     [&desk, &library](PackParams params, ReadCall& read, const RequestContext& context) {
       return pack_skill(library, desk, std::move(params), read.call, context);
     });
  on(binder,
     library,
     k_skill_init,
     [&desk](InitParams params, ReadCall& read, const RequestContext&) {
       return desk.init(std::move(params), read.skills_dir, read.call);
     });
}

} // namespace upskill::daemon
