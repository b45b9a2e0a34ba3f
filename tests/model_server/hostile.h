#pragma once
#include "tests/model_server/http_loop.h"

#include <optional>
#include <string_view>

namespace upskill::model_server {

// What a server says that is no model's, broken or meant badly: each by the name that the base
// URL's path begins with (`http://127.0.0.1:PORT/html/v1`). Nothing for a name that is none.
std::optional<Reply> hostile(std::string_view name, const Request& request);

} // namespace upskill::model_server
