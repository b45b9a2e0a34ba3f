#include "daemon/handlers/install_call.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/runtime/offload.h"

#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

// Proxies and the like: as the caller has them, else as the daemon does.
Environment environment_of(const RequestContext& context, const Environment& own) {
  return [sent = context.caller.environment, own](std::string_view name) {
    auto found = sent.find(std::string(name));
    return found == sent.end() ? own(name) : std::optional(found->second);
  };
}

Result<void> read_choices(ReadCall& read, const CallContext& caller, const Places& places) {
  TRY_ASSIGN(FoundConfig found, find_config(caller, places));
  read.skills_dir = found.skills_dir;
  for (std::string& warning : found.config.warnings) {
    if (warning.find("`install") != std::string::npos) {
      read.warnings.push_back(std::move(warning));
    }
  }
  if (!caller.config.empty()) {
    read.call.choices = std::move(found.config.install);
    return {};
  }
  // The folder's own may be the words of whoever wrote the repository.
  TRY_ASSIGN(FoundConfig own, find_config({}, places));
  read.call.choices = std::move(own.config.install);
  return {};
}

} // namespace

Awaitable<ReadCall> read_call(SkillLibrary& library, const RequestContext& context) {
  const EngineContext& engine = library.service().context();
  ReadCall read{{library.pool(context)}};
  read.call.caller = context.principal;
  read.call.cwd = context.caller.cwd;
  read.call.environment = environment_of(context, library.service().environment());
  read.call.stopping = context.stopping;
  read.call.told = [progress = context.progress, step = std::make_shared<double>(0)](
                       std::string_view what) { progress(++*step, std::nullopt, what); };
  auto choices = [&] { return read_choices(read, context.caller, engine.places); };
  AWAIT(Result<void> done, runtime::offload(read.call.pool, std::move(choices)));
  CO_TRY(done);
  co_return read;
}

} // namespace upskill::daemon
