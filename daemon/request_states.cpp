#include "daemon/request_states.h"

#include "protocol/base/hash.h"
#include "protocol/base/mcp_bounds.h"
#include "protocol/base/random.h"

#include <charconv>

namespace upskill::daemon {
namespace {

using Seconds = std::chrono::seconds;

constexpr std::size_t k_code_digits = 64;

Error not_ours() {
  return {ErrorCode::refused,
          "`params.requestState` is not one that this server gave for this call",
          "make the call again without it"};
}

} // namespace

RequestStates::RequestStates() {
  fill_random(m_key);
}

std::string RequestStates::code_of(std::string_view payload, std::string_view binding) const {
  Sha256 both;
  both.update_framed(payload);
  both.update_framed(binding);
  std::string_view key(reinterpret_cast<const char*>(m_key.data()), m_key.size());
  return hmac_sha256(key, both.finish().hex()).hex();
}

// code.seconds.state
std::string RequestStates::seal(std::string_view state, std::string_view binding, Time now) const {
  auto ends = std::chrono::duration_cast<Seconds>((now + k_answer_limit).time_since_epoch());
  std::string payload = std::to_string(ends.count()) + "." + std::string(state);
  return code_of(payload, binding) + "." + payload;
}

Result<std::string>
RequestStates::open(std::string_view sealed, std::string_view binding, Time now) const {
  if (sealed.size() <= k_code_digits || sealed[k_code_digits] != '.') {
    return fail(not_ours());
  }
  std::string_view payload = sealed.substr(k_code_digits + 1);
  if (!equal_in_constant_time(sealed.substr(0, k_code_digits), code_of(payload, binding))) {
    return fail(not_ours());
  }
  std::size_t dot = payload.find('.');
  std::int64_t ends = 0;
  std::from_chars(payload.data(), payload.data() + dot, ends);
  if (std::chrono::duration_cast<Seconds>(now.time_since_epoch()).count() >= ends) {
    return fail(ErrorCode::timed_out,
                "`params.requestState` is older than an hour",
                "make the call again without it");
  }
  return std::string(payload.substr(dot + 1));
}

} // namespace upskill::daemon
