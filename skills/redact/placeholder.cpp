#include "skills/redact/placeholder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace upskill::redact {
namespace {

// Long enough that a random secret has none of them: 7 letters in 40 of base64 are there once in
// ten million.
constexpr std::string_view k_words[] = {
    "example",  "placeholder", "changeme",  "change-me",  "change_me", "redacted", "your-",
    "your_",    "yourkey",     "yourtoken", "yoursecret", "insert-",   "insert_",  "replace-",
    "replace_", "dummy-",      "dummy_",    "fake-",      "fake_",     "xxxxxx",   "******",
    "......",   "${",          "{{",        "$(",         "%{",        "<",        "[redacted:"};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_repeated(std::string_view text) {
  for (std::size_t period = 1; period <= std::min<std::size_t>(text.size() / 2, 32); ++period) {
    if (text.substr(period) == text.substr(0, text.size() - period)) {
      return true;
    }
  }
  return false;
}

// Bytes that belong to runs of four and more in which each byte is one above or below the last.
std::size_t in_runs(std::string_view text) {
  std::size_t total = 0;
  std::size_t length = 1;
  int direction = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    int step = 0;
    if (i < text.size()) {
      step = text[i - 1] == '9' && text[i] == '0' ? 1 : text[i] - text[i - 1];
    }
    if ((step == 1 || step == -1) && (length == 1 || step == direction)) {
      direction = step;
      ++length;
      continue;
    }
    total += length >= 4 ? length : 0;
    length = step == 1 || step == -1 ? 2 : 1;
    direction = step;
  }
  return total;
}

bool is_wordy(std::string_view text) {
  bool has_digit = std::ranges::any_of(text, is_digit);
  bool has_upper = std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  bool has_lower = std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  bool has_break = text.find_first_of("-_. ") != std::string_view::npos;
  return !has_digit && !has_upper == has_lower && (has_lower || has_break);
}

} // namespace

double entropy(std::string_view text) {
  std::array<std::uint32_t, 256> counts = {};
  for (char c : text) {
    ++counts[static_cast<unsigned char>(c)];
  }
  double bits = 0;
  for (std::uint32_t count : counts) {
    if (count != 0) {
      double share = static_cast<double>(count) / static_cast<double>(text.size());
      bits -= share * std::log2(share);
    }
  }
  return bits;
}

bool contains_lower(std::string_view text, std::string_view part) {
  auto found = std::ranges::search(text, part, {}, lower);
  return !found.empty() || part.empty();
}

bool is_placeholder(std::string_view secret) {
  for (std::string_view word : k_words) {
    if (contains_lower(secret, word)) {
      return true;
    }
  }
  std::array<bool, 256> seen = {};
  for (char c : secret) {
    seen[static_cast<unsigned char>(c)] = true;
  }
  auto different = std::ranges::count(seen, true);
  return (secret.size() >= 12 && different <= 4) || is_repeated(secret)
         || 2 * in_runs(secret) >= secret.size() || is_wordy(secret);
}

} // namespace upskill::redact
