#include "skills/store/trace_name.h"

#include "protocol/base/bounds.h"
#include "protocol/base/hash.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace upskill::store {
namespace {

constexpr std::string_view k_suffix = ".zst";
constexpr std::size_t k_part = 100; // of a session's or a helper's encoded id, before its hash

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
         || c == '_' || c == '.';
}

bool is_of_ours(char c) {
  return stays(c) || c == '%' || c == '~' || c == '+';
}

bool is_part(std::string_view part) {
  return !part.empty() && part.front() != '.' && part.size() <= k_max_file_name
         && std::ranges::all_of(part, is_of_ours);
}

// `~` and `+` separate, so a hash begins with one that no id can hold.
std::string short_name(std::string_view text) {
  std::string name = encode_name(text);
  if (name.size() > k_part) {
    name.resize(k_part - 34);
    name += "++" + sha256(text).brief(32);
  }
  return name;
}

} // namespace

std::string encode_name(std::string_view text) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  if (text.empty()) {
    return "%";
  }
  std::string name;
  for (char c : text) {
    if (stays(c) && (c != '.' || !name.empty())) {
      name += c;
    } else {
      auto byte = static_cast<std::uint8_t>(c);
      name.append({'%', k_digits[byte >> 4], k_digits[byte & 15]});
    }
  }
  return name;
}

std::string
session_key(std::string_view harness, std::string_view session, std::string_view agent) {
  std::string key = encode_name(harness) + "/" + encode_name(session);
  return agent.empty() ? key : key + "/" + encode_name(agent);
}

std::string
trace_object_name(std::string_view harness, std::string_view session, std::string_view agent) {
  std::string name = short_name(harness) + "/" + short_name(session);
  if (!agent.empty()) {
    name += "~" + short_name(agent);
  }
  return name + std::string(k_suffix);
}

std::string next_object_name(std::string_view name) {
  name.remove_suffix(std::min(name.size(), k_suffix.size()));
  std::uint64_t generation = 1;
  if (std::size_t plus = name.rfind('+'); plus != std::string_view::npos) {
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    auto [stopped, failure] = std::from_chars(name.data() + plus + 1, end, number);
    // A hash has two signs before it, and is no number of ours.
    bool is_hash = plus > 0 && name[plus - 1] == '+';
    if (!is_hash && failure == std::errc() && stopped == end && number > 1) {
      generation = number;
      name = name.substr(0, plus);
    }
  }
  return std::string(name) + "+" + std::to_string(generation + 1) + std::string(k_suffix);
}

bool is_object_name(std::string_view name) {
  std::size_t slash = name.find('/');
  return slash != std::string_view::npos && is_part(name.substr(0, slash))
         && is_part(name.substr(slash + 1)) && name.ends_with(k_suffix);
}

} // namespace upskill::store
