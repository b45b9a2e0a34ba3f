#include "daemon/models/failure.h"

#include "daemon/models/retry.h"
#include "protocol/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace upskill::models {
namespace {

// What may be left out of a request and still leaves the same question. Longer ones first: they
// are searched for in messages.
constexpr std::array<std::string_view, 12> k_optional_fields{"max_completion_tokens",
                                                             "output_config.effort",
                                                             "output_config.format",
                                                             "reasoning_effort",
                                                             "response_format",
                                                             "stream_options",
                                                             "output_config",
                                                             "text.format",
                                                             "max_tokens",
                                                             "reasoning",
                                                             "effort",
                                                             "store"};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool is_word_at(std::string_view text, std::size_t at, std::size_t size) {
  auto is_part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  return (at == 0 || !is_part(at - 1)) && !is_part(at + size);
}

std::string rejected_field(const ServerError& said) {
  if (said.status != 400 && said.status != 422) {
    return {};
  }
  for (std::string_view field : k_optional_fields) {
    if (said.param == field || (said.param.starts_with(field) && said.param[field.size()] == '.')) {
      return std::string(field);
    }
  }
  bool is_about_fields = said.code.starts_with("unsupported_")
                         || has_any(said.message,
                                    {"support",
                                     "unknown",
                                     "unrecognized",
                                     "not permitted",
                                     "not allowed",
                                     "unexpected",
                                     "extra"});
  for (std::string_view field : k_optional_fields) {
    std::size_t at = said.message.find(field);
    if (is_about_fields && said.param.empty() && at != std::string::npos
        && is_word_at(said.message, at, field.size())) {
      return std::string(field);
    }
  }
  return {};
}

bool is_about_money(const ServerError& said) {
  return said.status == 402 || said.code == "insufficient_quota"
         || said.type == "insufficient_quota" || has_any(said.message, {"credit balance"});
}

bool is_too_long(const ServerError& said) {
  return said.status == 413 || said.code == "context_length_exceeded"
         || has_any(said.message, {"prompt is too long", "maximum context length"});
}

struct Meaning {
  ErrorCode code;
  bool may_retry;
  std::string hint;
};

Meaning meaning_of(const ServerError& said, std::string_view model) {
  if (is_about_money(said)) {
    return {ErrorCode::refused, false, "the account has no money or quota left"};
  }
  if (is_too_long(said)) {
    return {ErrorCode::too_large, false, "ask with less text"};
  }
  switch (said.status) {
  case 401:
  case 403:
    return {ErrorCode::permission, false, "check the key, and whether it may use this model"};
  case 404:
    return {ErrorCode::not_found,
            false,
            fmt::format("check the model's name ({}) and the base URL", in_backticks(model))};
  case 408:
  case 504:
    return {ErrorCode::timed_out, true, {}};
  case 409:
    return {ErrorCode::unavailable, true, {}};
  case 429:
  case 529:
    return {ErrorCode::busy, true, "try again later, or with less at the same time"};
  default:
    break;
  }
  if (said.status >= 500) {
    return {ErrorCode::unavailable, true, "try again later"};
  }
  if (said.status >= 300 && said.status < 400) {
    return {ErrorCode::unavailable,
            false,
            "redirects are not followed; set the base URL to the "
            "server that answers"};
  }
  return {ErrorCode::invalid_argument, false, {}};
}

} // namespace

Failure failure_of(const ServerError& said,
                   const Headers& headers,
                   std::int64_t unix_ms,
                   std::string_view where,
                   std::string_view model) {
  Meaning meaning = meaning_of(said, model);
  std::string kind = said.code.empty() ? said.type : said.code;
  if (!kind.empty()) {
    kind = " (" + short_quote(kind).substr(0, 60) + ")";
  }
  Failure failure{.error = {meaning.code,
                            fmt::format("`{}` answered {}{}{}{}",
                                        where,
                                        said.status,
                                        kind,
                                        said.message.empty() ? "" : ": ",
                                        said.message),
                            std::move(meaning.hint)},
                  .may_retry = meaning.may_retry};
  failure.is_rate_limit = meaning.code == ErrorCode::busy && said.status == 429;
  if (failure.may_retry) {
    failure.wait = asked_wait(headers, unix_ms);
    failure.may_retry = failure.wait.value_or(k_longest_wait) <= k_longest_wait;
  }
  if (meaning.code == ErrorCode::invalid_argument) {
    failure.rejected_field = rejected_field(said);
  }
  return failure;
}

} // namespace upskill::models
