#include "skills/agent_config/edit.h"

#include "protocol/base/utf8.h"
#include "skills/agent_config/json_tree.h"

#include <algorithm>

namespace upskill::agent_config {
namespace {

constexpr std::size_t k_max_text = 4u << 20;

Result<void> check_text(std::string_view text) {
  if (text.size() > k_max_text) {
    return fail(ErrorCode::too_large, "it is larger than 4 MiB");
  }
  if (!is_utf8(text)) {
    return fail(ErrorCode::invalid_argument, "it is not UTF-8 text");
  }
  return {};
}

} // namespace

Result<PutResult>
put_entry(Form form, std::string_view text, const EntryPlace& place, std::string_view value) {
  TRY(check_text(text));
  auto put = form == Form::json ? put_json_entry : put_toml_entry;
  TRY_ASSIGN(PutResult result, put(text, place, value));
  if (result.outcome == PutOutcome::added) {
    // Somebody's agent reads this: whatever was overlooked above must not get as far as that.
    Result<PutResult> again = put(result.text, place, value);
    if (!again || again->outcome != PutOutcome::present) {
      return fail(ErrorCode::internal, "an entry cannot be put into it in a way that holds");
    }
  }
  return result;
}

Result<TakeResult> take_entry(Form form,
                              std::string_view text,
                              const EntryPlace& place,
                              std::string_view value,
                              const EntryTrace& trace) {
  TRY(check_text(text));
  return form == Form::json ? take_json_entry(text, place, value, trace)
                            : take_toml_entry(text, place, value, trace);
}

bool is_empty_config(Form form, std::string_view text) {
  if (form == Form::json) {
    Result<JsonNode> root = parse_json_tree(text);
    return root && root->children.empty() && !root->has_comment
           && (root->kind == JsonKind::object || root->begin == root->end);
  }
  return std::ranges::all_of(
      text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
}

} // namespace upskill::agent_config
