#include "daemon/proxy/normalise.h"

#include "daemon/models/wire_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace upskill::proxy {
namespace {

using Json = nlohmann::json;

constexpr std::string_view k_billing = "x-anthropic-billing-header:";
// Who asks, not what: sessions, devices, accounts.
constexpr std::array<std::string_view, 6> k_left_out{
    "metadata", "client_metadata", "prompt_cache_key", "safety_identifier", "session_id", "user"};
constexpr std::array<std::string_view, 10> k_id_prefixes{
    "toolu_", "srvtoolu_", "call_", "msg_", "fc_", "fco_", "rs_", "resp_", "req_", "chatcmpl-"};
constexpr std::string_view k_uuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::size_t k_min_id = 6; // after its prefix
// Also by their first three letters.
constexpr std::array<std::string_view, 12> k_months{"January",
                                                    "February",
                                                    "March",
                                                    "April",
                                                    "May",
                                                    "June",
                                                    "July",
                                                    "August",
                                                    "September",
                                                    "October",
                                                    "November",
                                                    "December"};
constexpr std::array<std::string_view, 7> k_days{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// How many bytes at the front are of a pattern: `d` a digit, `x` a hexadecimal one, all else
// itself. 0: it does not fit.
std::size_t fits(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) {
    return 0;
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    bool is_so = pattern[i] == 'd'   ? std::isdigit(c) != 0
                 : pattern[i] == 'x' ? std::isxdigit(c) != 0
                                     : text[i] == pattern[i];
    if (!is_so) {
      return 0;
    }
  }
  return pattern.size();
}

std::size_t time_at(std::string_view text) {
  std::size_t size = fits(text, "dd:dd:dd");
  if (size == 0) {
    return 0;
  }
  if (size < text.size() && text[size] == '.') {
    ++size;
    while (size < text.size() && std::isdigit(static_cast<unsigned char>(text[size])) != 0) {
      ++size;
    }
  }
  if (size < text.size() && text[size] == 'Z') {
    return size + 1;
  }
  std::string_view rest = text.substr(size);
  return size + std::max(fits(rest, "+dd:dd"), fits(rest, "-dd:dd"));
}

std::size_t iso_date_at(std::string_view text) {
  std::size_t size = std::max(fits(text, "dddd-dd-dd"), fits(text, "dddd/dd/dd"));
  if (size == 0 || size >= text.size() || (text[size] != 'T' && text[size] != ' ')) {
    return size;
  }
  std::size_t time = time_at(text.substr(size + 1));
  return time == 0 ? size : size + 1 + time;
}

std::size_t word_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

template <std::size_t N>
std::size_t name_at(std::string_view text, const std::array<std::string_view, N>& names) {
  std::string_view word = text.substr(0, word_at(text));
  bool is_one = std::ranges::any_of(
      names, [&](std::string_view name) { return word == name || word == name.substr(0, 3); });
  return is_one ? word.size() : 0;
}

// `Wed Nov 25 2026`, `November 25, 2026`
std::size_t written_date_at(std::string_view text) {
  auto blanks = [&](std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == ',')) {
      ++at;
    }
    return at;
  };
  std::size_t at = name_at(text, k_days);
  at = at == 0 ? 0 : blanks(at);
  std::size_t month = name_at(text.substr(at), k_months);
  if (month == 0) {
    return 0;
  }
  at = blanks(at + month);
  std::size_t day = std::max(fits(text.substr(at), "dd"), fits(text.substr(at), "d"));
  if (day == 0) {
    return 0;
  }
  at = blanks(at + day);
  std::size_t year = fits(text.substr(at), "dddd");
  return year == 0 ? 0 : at + year;
}

// Gemini CLI makes ids of its own, of a tool's name, the time and a number:
// `activate_skill_1795696060520_0`.
bool is_gemini_id(std::string_view word) {
  constexpr std::string_view k_time = "_ddddddddddddd_"; // Unix time in ms
  auto last = std::find_if_not(
      word.rbegin(), word.rend(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const auto before = static_cast<std::size_t>(word.rend() - last);
  return before < word.size() && before > k_time.size()
         && fits(word.substr(before - k_time.size()), k_time) > 0;
}

std::size_t id_at(std::string_view text) {
  for (std::string_view prefix : k_id_prefixes) {
    if (text.starts_with(prefix)) {
      std::string_view rest = text.substr(prefix.size());
      std::size_t size = std::max(fits(rest, k_uuid), word_at(rest));
      return size < k_min_id ? 0 : prefix.size() + size;
    }
  }
  std::string_view word = text.substr(0, word_at(text));
  return is_gemini_id(word) ? word.size() : 0;
}

// What Codex prints around a command's output: how long it took, and a number that it drew.
std::size_t codex_line_at(std::string_view text) {
  constexpr std::string_view k_chunk = "Chunk ID: ";
  constexpr std::string_view k_time = "Wall time: ";
  auto is_hex = [](unsigned char c) { return std::isxdigit(c) != 0; };
  auto is_number = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; };
  const bool is_chunk = text.starts_with(k_chunk);
  if (!is_chunk && !text.starts_with(k_time)) {
    return 0;
  }
  std::string_view rest = text.substr(is_chunk ? k_chunk.size() : k_time.size());
  auto end =
      is_chunk ? std::ranges::find_if_not(rest, is_hex) : std::ranges::find_if_not(rest, is_number);
  return end == rest.begin() ? 0 : static_cast<std::size_t>(end - text.begin());
}

std::string number_of(std::string_view id, std::vector<std::string>& ids) {
  auto known = std::ranges::find(ids, id);
  auto number = known - ids.begin();
  if (known == ids.end()) {
    ids.emplace_back(id);
  }
  return "{id" + std::to_string(number + 1) + "}";
}

Json normalised(const Json& value, const Places& places, std::vector<std::string>& ids) {
  if (value.is_string()) {
    return normalised_text(value.get_ref<const std::string&>(), places, ids);
  }
  if (value.is_array()) {
    Json all = Json::array();
    for (const Json& one : value) {
      all.push_back(normalised(one, places, ids));
    }
    return all;
  }
  if (value.is_object()) {
    Json all = Json::object();
    for (const auto& [name, one] : value.items()) {
      all[name] = normalised(one, places, ids);
    }
    return all;
  }
  return value;
}

} // namespace

std::string
normalised_text(std::string_view text, const Places& places, std::vector<std::string>& ids) {
  std::string made;
  bool after_word = false;
  while (!text.empty()) {
    if (text.starts_with(k_billing)) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
      continue;
    }
    auto place = std::ranges::find_if(
        places, [&](const auto& one) { return !one.first.empty() && text.starts_with(one.first); });
    if (place != places.end()) {
      made += place->second;
      text.remove_prefix(place->first.size());
      after_word = true;
      continue;
    }
    std::size_t size = 0;
    if (!after_word) {
      if ((size = fits(text, k_uuid)) > 0) {
        made += "{uuid}";
      } else if ((size = std::max(iso_date_at(text), written_date_at(text))) > 0) {
        made += "{date}";
      } else if ((size = time_at(text)) > 0) {
        made += "{time}";
      } else if ((size = id_at(text)) > 0) {
        made += number_of(text.substr(0, size), ids);
      } else if ((size = codex_line_at(text)) > 0) {
        made += "{run}";
      }
    }
    if (size == 0) {
      made += text.front();
      after_word = is_word(text.front());
      size = 1;
    } else {
      after_word = true;
    }
    text.remove_prefix(size);
  }
  return made;
}

Json normalised_request(std::string_view method,
                        std::string_view target,
                        std::string_view body,
                        const Places& places) {
  std::vector<std::string> ids;
  Json document = models::parse_json(body);
  Json asked = document.is_discarded() ? Json(normalised_text(body, places, ids)) : Json();
  if (document.is_object()) {
    for (std::string_view name : k_left_out) {
      document.erase(std::string(name));
    }
  }
  if (!document.is_discarded()) {
    asked = normalised(document, places, ids);
  }
  return {{"kind", "agent"},
          {"method", std::string(method)},
          {"target", forwarded_target(target)},
          {"body", std::move(asked)}};
}

Digest request_digest(const Json& request) {
  return sha256(models::dump(request));
}

} // namespace upskill::proxy
