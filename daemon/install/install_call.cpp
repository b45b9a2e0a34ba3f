#include "daemon/install/install_call.h"

namespace upskill::daemon {

fetch::FetchSetting
fetch_setting(const InstallCall& call, const std::string& home, install::Depth depth) {
  fetch::FetchSetting setting;
  // What an agent names may be the words of whoever wrote what it has just read.
  setting.by = call.is_agent() ? fetch::NamedBy::other : fetch::NamedBy::person;
  setting.private_hosts = call.choices.private_hosts;
  setting.depth = depth;
  setting.home = home;
  setting.environment = [own = call.environment](const std::string& name) { return own(name); };
  setting.progress = call.told;
  return setting;
}

} // namespace upskill::daemon
