#include "skills/redact/late_pattern.h"

#include "protocol/base/utf8.h"

namespace upskill::redact {

LatePattern::LatePattern(std::string text, PatternReading reading)
    : m_text(std::make_unique<const std::string>(std::move(text)))
    , m_reading(reading) {}

const re2::RE2& LatePattern::operator*() const {
  return m_compiled.get([this] {
    re2::RE2::Options options(re2::RE2::Latin1);
    options.set_log_errors(false); // they would go to stderr
    options.set_case_sensitive(!m_reading.ignores_case);
    options.set_dot_nl(m_reading.dot_is_any);
    options.set_max_mem(m_reading.max_memory);
    return std::make_unique<re2::RE2>(*m_text, options);
  });
}

Result<void> LatePattern::check() const {
  if (!(*this)->ok()) {
    return fail(ErrorCode::invalid_argument,
                to_valid_utf8((*this)->error()),
                "see https://github.com/google/re2/wiki/Syntax; it has no look-around and no "
                "back-references");
  }
  return {};
}

} // namespace upskill::redact
