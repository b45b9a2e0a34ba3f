#pragma once
#include <string>
#include <string_view>

namespace upskill::daemon {

// What a model is told that is to have a skill made of the session `session`, its own where that is
// empty. Both are words of whoever asks for the prompt. Pure; some 5 KB at most.
std::string make_request(std::string_view task, std::string_view session);

// The same for a skill that is there, which lies in `folder`.
std::string
improve_request(std::string_view skill, const std::string& folder, std::string_view what);

} // namespace upskill::daemon
