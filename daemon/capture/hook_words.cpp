#include "daemon/capture/hook_words.h"

#include "protocol/codec/codec.h"
#include "protocol/hook/payload.h"

namespace upskill::capture {

// Back to JSON: which member counts where several say the same, what is too long for a path, and
// whose words they are is then known in one place.
hook::HookEvent hook_event_of(const HookEventParams& params) {
  return hook::read_payload(encode(params), {.agent = params.agent});
}

} // namespace upskill::capture
