#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::telemetry {

inline constexpr std::size_t k_max_logged_body = 2048; // bytes (style: errors and messages)

// One message as it may be shown: the values of `upskill/context` (a caller's environment, with its
// keys) and of members named like a secret (`api_key`, `authorization`, `token`, ...) become
// `"[hidden]"`. Works on text that is cut or is no JSON at all, and errs on the side of hiding.
std::string without_secrets(std::string_view line);

// The same, cut at k_max_logged_body without splitting a character.
std::string loggable(std::string_view line);

// The same into a fixed buffer; returns the bytes used. Allocates nothing and calls nothing, so
// that a signal handler may.
std::size_t copy_without_secrets(std::string_view line, char* out, std::size_t room) noexcept;

} // namespace upskill::telemetry
