#include "skills/eval/pattern.h"

#include "protocol/base/utf8.h"

#include <re2/re2.h>

namespace upskill::eval {

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled)
    : m_compiled(std::move(compiled)) {}

Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view pattern) {
  if (pattern.size() > k_max_pattern) {
    return fail(ErrorCode::too_large,
                "is a pattern of more than " + std::to_string(k_max_pattern) + " bytes");
  }
  re2::RE2::Options options;
  options.set_log_errors(false); // they would go to stderr
  options.set_max_mem(k_max_pattern_memory);
  auto compiled =
      std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!compiled->ok()) {
    return fail(ErrorCode::invalid_argument,
                "is not a pattern that RE2 reads: " + to_valid_utf8(compiled->error()),
                "see https://github.com/google/re2/wiki/Syntax; it has no look-around and no "
                "back-references");
  }
  return Pattern(std::move(compiled));
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *m_compiled);
}

} // namespace upskill::eval
