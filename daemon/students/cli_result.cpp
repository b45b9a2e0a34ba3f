#include "daemon/students/cli_result.h"

#include "daemon/models/model_name.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace upskill::students {
namespace {

constexpr std::size_t k_min_key = 4;    // bytes; less occurs by chance
constexpr std::size_t k_max_said = 400; // bytes of an agent's words in a message
constexpr std::size_t k_max_models = 4; // named in a result

std::string name_of(const CliAgentRow& row) {
  return "`cli." + std::string(row.name) + "`";
}

models::Usage usage_of(const agent_events::Usage& told) {
  models::Usage usage;
  usage.input = told.input;
  usage.cache_read = told.cache_read;
  usage.cache_write = told.cache_write;
  usage.output = told.output;
  usage.reasoning = told.reasoning;
  return usage;
}

std::optional<std::uint64_t> total(const models::Usage& usage) {
  if (!usage.input || !usage.output) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*usage.input + *usage.output + usage.cache_read.value_or(0)
                                    + usage.cache_write.value_or(0));
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < std::min(names.size(), k_max_models); ++i) {
    all += (i == 0 ? "" : ", ") + names[i];
  }
  return all;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return lowered;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// The status where the agent told one, else its words: each has its own.
ErrorCode meaning(std::optional<int> status, std::string_view said) {
  std::string words = lower(said);
  if (status == 401 || status == 403
      || (!status
          && has_any(words,
                     {"401",
                      "unauthorized",
                      "authenticat",
                      "api key",
                      "api_key",
                      "logged in",
                      "log in",
                      "forbidden"}))) {
    return ErrorCode::permission;
  }
  if (status == 429 || status == 529
      || (!status && has_any(words, {"429", "rate limit", "overloaded", "too many requests"}))) {
    return ErrorCode::busy;
  }
  if (status == 404) {
    return ErrorCode::not_found;
  }
  return ErrorCode::unavailable;
}

std::string hint_of(ErrorCode code, const CliAgentRow& row, const CliCall& call) {
  if (code == ErrorCode::permission) {
    std::string_view name = row.keys.front();
    for (const CliServer& server : row.servers) {
      name = call.base_url.empty() ? name : server.key_variable;
      break;
    }
    return "its key is read from `" + std::string(name)
           + "`; a login of yours is not handed on to it";
  }
  if (code == ErrorCode::not_found) {
    return "`--model` takes the names that the agent has for its models";
  }
  return {};
}

// The last line that says something: agents explain themselves there where they end early.
std::string_view last_line(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string_view::npos) {
      return {};
    }
    text = text.substr(0, end + 1);
    std::size_t start = text.rfind('\n');
    return start == std::string_view::npos ? text : text.substr(start + 1);
  }
  return {};
}

std::string one_line(std::string text) {
  text = to_valid_utf8(text);
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return std::string(utf8_prefix(text, k_max_said));
}

std::string how_it_ended(const runtime::ChildEnd& end) {
  if (end.signal) {
    return "was ended by signal " + std::to_string(*end.signal);
  }
  if (end.exit_code.value_or(0) != 0) {
    return "ended with exit code " + std::to_string(*end.exit_code);
  }
  return "ended without saying how it went";
}

std::optional<Error> failure(const CliAgentRow& row,
                             const CliCall& call,
                             const runtime::ChildEnd& end,
                             const agent_events::AgentRun& run) {
  std::string said = run.failure;
  if (said.empty() && run.ending != agent_events::Ending::done) {
    said = last_line(end.errors);
  }
  said = one_line(without_keys(std::move(said), call.keys));
  std::string because = said.empty() ? "" : ": " + said;
  if (end.was_excess) {
    return Error{ErrorCode::too_large, name_of(row) + " printed without end, and was ended"};
  }
  if (end.timed_out) {
    std::string what = end.is_idle ? " said nothing for too long" : " took too long";
    return Error{ErrorCode::timed_out, name_of(row) + what + ", and was ended" + because, {}};
  }
  if (end.is_success() && run.ending == agent_events::Ending::done) {
    return std::nullopt;
  }
  ErrorCode code = meaning(run.status, said);
  return Error{code, name_of(row) + " " + how_it_ended(end) + because, hint_of(code, row, call)};
}

} // namespace

std::string without_keys(std::string text, const std::map<std::string, std::string>& keys) {
  for (const auto& [name, key] : keys) {
    if (key.size() < k_min_key) {
      continue;
    }
    constexpr std::string_view k_hidden = "[hidden]";
    for (std::size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + k_hidden.size())) {
      text.replace(at, key.size(), k_hidden);
    }
    // One that was cut off with the text.
    for (std::size_t size = key.size() - 1; size >= k_min_key; --size) {
      if (text.ends_with(std::string_view(key).substr(0, size))) {
        text.replace(text.size() - size, size, k_hidden);
        break;
      }
    }
  }
  return text;
}

Result<Work> cli_work(const CliAgentRow& row,
                      const CliCall& call,
                      const runtime::ChildEnd& end,
                      agent_events::AgentRun run) {
  if (std::optional<Error> error = failure(row, call, end, run)) {
    return fail(std::move(*error));
  }
  Work work;
  work.usage = usage_of(run.usage);
  // As with every model of this machine; all agents know is the list's price.
  work.cost = models::is_loopback(call.base_url) ? std::optional<double>(0) : run.cost;
  work.milliseconds = end.took.count();
  work.model = without_keys(joined(run.models), call.keys);
  work.turns = run.turns;
  work.tool_calls = run.tool_calls;
  work.observation.tokens = total(work.usage);
  work.observation.cost_usd = work.cost;
  work.observation.seconds = static_cast<double>(work.milliseconds) / 1000;
  work.observation.skills_used = agent_events::skills_used(run);
  work.observation.tools_used = agent_events::tools_used(run);
  work.observation.answer = without_keys(std::move(run.answer), call.keys);
  return work;
}

void take_measured(Work& work, const proxy::Measured& measured, EvalArm arm) {
  work.requests = static_cast<std::int64_t>(measured.requests);
  if (measured.requests == measured.failed) {
    return; // nothing was answered: what it says may be of a server that we did not see
  }
  if (std::optional<std::uint64_t> tokens = total(measured.usage)) {
    work.usage = measured.usage;
    work.observation.tokens = tokens;
  }
  if (measured.cost) {
    work.cost = measured.cost;
    work.observation.cost_usd = work.cost;
  }
  if (!measured.models.empty()) {
    work.model = joined(measured.models);
  }
  work.skills_described = measured.described;
  work.skills_read = measured.read;
  if (arm == EvalArm::with_skill && !measured.read.empty()) {
    auto& used = work.observation.skills_used;
    used = used.value_or(std::set<std::string>());
    used->insert(measured.read.begin(), measured.read.end());
  }
}

} // namespace upskill::students
