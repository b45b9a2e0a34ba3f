#include "daemon/proxy/recording.h"

#include "daemon/models/model_name.h"
#include "daemon/models/wire_json.h"
#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::proxy {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_min_mark = 16;  // bytes: less is in prompts by chance
constexpr std::size_t k_max_mark = 160; // bytes: agents cut long descriptions
constexpr std::size_t k_max_models = 16;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Agents put descriptions into XML, some of them with its escapes.
void add_text(std::string& all, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> k_escapes{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  all += '\n';
  bool was_blank = false;
  while (!text.empty()) {
    char next = text.front();
    std::size_t size = 1;
    if (next == '&') {
      for (const auto& [escape, meaning] : k_escapes) {
        if (text.starts_with(escape)) {
          next = meaning;
          size = escape.size();
          break;
        }
      }
    }
    bool blank = is_blank(next);
    if (!blank) {
      all += next;
    } else if (!was_blank) {
      all += ' ';
    }
    was_blank = blank;
    text.remove_prefix(size);
  }
}

// Depth is bounded: parse_json refuses deeper ones.
void add_texts(std::string& all, const Json& value) {
  if (value.is_string()) {
    add_text(all, value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (const Json& member : value) {
      add_texts(all, member);
    }
  }
}

models::Usage sum(const models::Usage& a, const models::Usage& b) {
  auto add = [](const std::optional<std::int64_t>& x, const std::optional<std::int64_t>& y) {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  return {.input = add(a.input, b.input),
          .cache_read = add(a.cache_read, b.cache_read),
          .cache_write = add(a.cache_write, b.cache_write),
          .output = add(a.output, b.output),
          .reasoning = add(a.reasoning, b.reasoning)};
}

// A price is known of what its vendor itself answers: others have prices of their own.
std::string provider_at(const std::string& base_url, AgentWire wire) {
  std::string where = models::host_and_port(base_url);
  if (where == "api.anthropic.com:443" && wire == AgentWire::anthropic) {
    return "anthropic";
  }
  return where == "api.openai.com:443" ? "openai" : "generic";
}

} // namespace

std::string mark_of(std::string_view text) {
  std::string longest;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string plain;
    add_text(plain, line);
    std::size_t first = std::min(plain.find_first_not_of("\n "), plain.size());
    plain.erase(0, first);
    while (plain.ends_with(' ')) {
      plain.pop_back();
    }
    if (plain.size() > longest.size()) {
      longest = std::move(plain);
    }
  }
  return longest.size() < k_min_mark ? "" : std::string(utf8_prefix(longest, k_max_mark));
}

std::string texts_in(std::string_view json) {
  std::string all;
  Json document = models::parse_json(json);
  if (document.is_discarded()) {
    add_text(all, json);
  } else {
    add_texts(all, document);
  }
  return all;
}

Recording::Recording(std::vector<WatchedSkill> skills, const Upstream& upstream)
    : m_base_url(upstream.base_url) {
  for (WatchedSkill& skill : skills) {
    m_marks.push_back({std::move(skill.name), mark_of(skill.description), mark_of(skill.body)});
  }
}

void Recording::take_request(std::string_view body) {
  ++m_measured.requests;
  bool looks = std::ranges::any_of(m_marks, [&](const Mark& mark) {
    return (!mark.description.empty() && !m_measured.described.contains(mark.name))
           || (!mark.body.empty() && !m_measured.read.contains(mark.name));
  });
  if (!looks) {
    return;
  }
  std::string texts = texts_in(body);
  for (const Mark& mark : m_marks) {
    if (!mark.description.empty() && texts.find(mark.description) != std::string::npos) {
      m_measured.described.insert(mark.name);
    }
    if (!mark.body.empty() && texts.find(mark.body) != std::string::npos) {
      m_measured.read.insert(mark.name);
    }
  }
}

void Recording::take_answer(AgentWire wire, int status, const UsageReader& reader) {
  if (status < 200 || status >= 300) {
    ++m_measured.failed; // which costs nothing
    return;
  }
  models::Usage usage = reader.usage();
  if (!reader.is_complete()) {
    ++m_measured.failed; // and who knows what it took
    usage = {};
  }
  models::ResolvedModel model;
  model.provider = provider_at(m_base_url, wire);
  model.id = reader.model();
  model.base_url = m_base_url;
  std::optional<double> cost = models::cost_of(model, usage);
  if (std::exchange(m_is_first, false)) {
    m_measured.usage = usage;
    m_measured.cost = cost;
  } else {
    m_measured.usage = sum(m_measured.usage, usage);
    m_measured.cost =
        m_measured.cost && cost ? std::optional(*m_measured.cost + *cost) : std::nullopt;
  }
  auto& models = m_measured.models;
  if (!reader.model().empty() && models.size() < k_max_models
      && std::ranges::find(models, reader.model()) == models.end()) {
    models.push_back(reader.model());
  }
}

} // namespace upskill::proxy
