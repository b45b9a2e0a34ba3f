#pragma once
#include "skills/store/inbox.h"

#include <string>
#include <string_view>
#include <vector>

// What the inbox writes beside its skills: JSON for people, and back.
namespace upskill::store {

std::string write_inbox_origin(const InboxOrigin& origin);
// corrupt where it does not say what it must.
Result<InboxOrigin> parse_inbox_origin(std::string_view json);

std::string write_settled(const std::vector<SettledTopic>& topics);
// corrupt; unsupported: of a newer version than ours.
Result<std::vector<SettledTopic>> parse_settled(std::string_view json);

} // namespace upskill::store
