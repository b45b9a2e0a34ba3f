#include "skills/store/trace_text.h"

#include "protocol/base/utf8.h"
#include "skills/store/record_fields.h"

#include <algorithm>

namespace upskill::store {
namespace {

std::string bounded(std::string_view text, std::size_t most) {
  std::string valid = to_valid_utf8(utf8_prefix(text, most));
  valid.resize(utf8_prefix(valid, most).size()); // U+FFFD is longer than what it replaces
  std::ranges::replace(valid, '\0', ' ');        // ends a field
  return valid;
}

} // namespace

IndexText bounded_text(const IndexText& text) {
  std::size_t left = k_max_index_text;
  IndexText kept;
  kept.title = bounded(text.title, k_max_trace_label);
  left -= kept.title.size();
  kept.prompts = bounded(text.prompts, left);
  left -= kept.prompts.size();
  kept.work = bounded(text.work, left);
  left -= kept.work.size();
  kept.answers = bounded(text.answers, left);
  return kept;
}

Result<std::string> encode_text(const IndexText& text, FrameWriter& frames) {
  std::string record;
  for (const std::string* field : {&text.title, &text.prompts, &text.answers, &text.work}) {
    put_field(record, *field);
  }
  std::string bytes;
  TRY(frames.append_frame(bytes, record));
  return bytes;
}

Result<IndexText> decode_text(std::string_view bytes) {
  constexpr std::size_t k_ends = 4;
  TRY_ASSIGN(std::string record, read_frame(bytes, k_max_index_text + k_ends));
  FieldReader fields(record);
  IndexText text;
  for (std::string* field : {&text.title, &text.prompts, &text.answers, &text.work}) {
    *field = fields.text();
  }
  if (fields.damaged() || !fields.at_end()) {
    return fail(ErrorCode::corrupt, "the indexed text of a session is damaged");
  }
  return text;
}

} // namespace upskill::store
