#pragma once
#include "protocol/http/head.h"

#include <string_view>

namespace upskill::http {

// Whether the Accept fields of a request, all of them together, list this media type, by itself or
// by a range that it is in, and not with a quality of 0 (RFC 9110, section 12.5.1). No Accept field
// lists nothing: MCP asks its clients to send one.
bool accepts(const Head& head, std::string_view type, std::string_view subtype);

// Whether a Content-Type names this media type, whatever its parameters.
bool is_media_type(std::string_view content_type, std::string_view type, std::string_view subtype);

} // namespace upskill::http
