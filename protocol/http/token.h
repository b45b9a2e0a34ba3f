#pragma once
#include <string>
#include <string_view>

namespace upskill::http {

inline constexpr std::size_t k_token_size = 43;

// 32 bytes of the system's generator in base64url (RFC 4648, section 5, without padding): bearer
// tokens and session ids, which nobody shall guess.
std::string random_token();

// Whether it could be one of them.
bool is_token(std::string_view text);

} // namespace upskill::http
