#pragma once
#include "protocol/base/result.h"
#include "skills/store/trace_rows.h"
#include "skills/store/zstd_frame.h"

#include <string>
#include <string_view>

namespace upskill::store {

// What of it fits into k_max_index_text, valid UTF-8: the title, then prompts, work, answers. Each
// is cut at its end.
IndexText bounded_text(const IndexText& text);

// traces.db's column: one frame of zstd.
Result<std::string> encode_text(const IndexText& text, FrameWriter& frames);
// corrupt: it is not what encode_text makes.
Result<IndexText> decode_text(std::string_view bytes);

} // namespace upskill::store
