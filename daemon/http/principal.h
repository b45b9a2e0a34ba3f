#pragma once
#include <string_view>

namespace upskill::http {

// Requests and sessions are not told apart by who sends them: whoever has the token is one user's
// program, so a task or a `requestState` of one of them is good for the next.
inline constexpr std::string_view k_principal = "http";

} // namespace upskill::http
