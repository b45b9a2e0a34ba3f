#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <string_view>

namespace upskill::eval {

inline constexpr std::size_t k_max_reply = 1u << 20; // bytes of a model's reply that are looked at

// The JSON object with the member `key` in what a model replied: all of it, or in a code fence, or
// with words around it. A view into the reply. The error is the end of a sentence: there is none,
// or there are several that differ. Of those nobody knows which is meant: a model that thinks aloud
// repeats what it was shown, and what it was shown may be made to look like its reply.
Result<std::string_view> find_object(std::string_view reply, std::string_view key);

} // namespace upskill::eval
