#include "skills/eval/prompt_text.h"

#include "protocol/base/hash.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <cstdint>

namespace upskill::eval {
namespace {

constexpr std::size_t k_mark_digits = 16;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

std::string cut_middle(std::string_view text, std::size_t limit) {
  std::string valid = to_valid_utf8(text);
  if (valid.size() <= limit) {
    return valid;
  }
  std::string_view head = utf8_prefix(valid, limit / 2);
  std::size_t tail = valid.size() - (limit - limit / 2);
  while (tail < valid.size() && is_continuation(valid[tail])) {
    ++tail;
  }
  return std::string(head) + "\n[" + std::to_string(tail - head.size())
         + " bytes are left out here]\n" + valid.substr(tail);
}

std::string mark_for(std::span<const std::string> texts) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    Sha256 hash;
    hash.update_number(attempt);
    for (const std::string& text : texts) {
      hash.update_framed(text);
    }
    std::string mark = hash.finish().brief(k_mark_digits);
    if (std::ranges::none_of(
            texts, [&](const std::string& text) { return text.find(mark) != std::string::npos; })) {
      return mark;
    }
  }
}

std::string fenced(std::string_view name, std::string_view text, std::string_view mark) {
  std::string line = std::string(name) + " " + std::string(mark);
  return "BEGIN " + line + "\n" + std::string(text) + "\nEND " + line + "\n";
}

} // namespace upskill::eval
