#include "daemon/models/scripted.h"
#include "daemon/models/wire_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t k_largest = std::numeric_limits<std::int32_t>::max();

// Says what is wrong where; caught in read_script.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void wrong(const std::string& where, std::string_view problem) {
  throw Wrong(fmt::format("`{}` {}", where, problem));
}

void check_keys(const Json& object,
                const std::string& where,
                std::initializer_list<std::string_view> known) {
  if (!object.is_object()) {
    wrong(where, "must be an object");
  }
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      wrong(where + "." + key, "is not known here");
    }
  }
}

std::string text(const Json& value, const std::string& where) {
  if (!value.is_string()) {
    wrong(where, "must be a text");
  }
  return value.get<std::string>();
}

std::vector<std::string> texts(const Json& value, const std::string& where) {
  if (!value.is_array()) {
    return {text(value, where)};
  }
  std::vector<std::string> all;
  for (std::size_t i = 0; i < value.size(); ++i) {
    all.push_back(text(value[i], fmt::format("{}[{}]", where, i)));
  }
  return all;
}

std::int64_t number(const Json& value, const std::string& where) {
  if (!value.is_number_integer() || value.get<double>() < 0
      || value.get<double>() > static_cast<double>(k_largest)) {
    wrong(where, "must be a whole number, 0 or more");
  }
  return value.get<std::int64_t>();
}

double amount(const Json& value, const std::string& where, double most) {
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > most) {
    wrong(where, fmt::format("must be a number from 0 to {}", most));
  }
  return value.get<double>();
}

SampleRule samples(const Json& value, const std::string& where) {
  SampleRule rule;
  if (value.is_object()) {
    check_keys(value, where, {"every", "rest"});
    rule.every = static_cast<std::uint32_t>(number(value.value("every", Json()), where + ".every"));
    rule.rest = static_cast<std::uint32_t>(number(value.value("rest", Json(0)), where + ".rest"));
    if (rule.every == 0 || rule.rest >= rule.every) {
      wrong(where, "needs `every` of 1 or more, and a smaller `rest`");
    }
    return rule;
  }
  const Json list = value.is_array() ? value : Json::array({value});
  for (std::size_t i = 0; i < list.size(); ++i) {
    rule.listed.push_back(
        static_cast<std::uint32_t>(number(list[i], fmt::format("{}[{}]", where, i))));
  }
  return rule;
}

std::vector<ToolCall> calls(const Json& value, const std::string& where) {
  if (!value.is_array()) {
    wrong(where, "must be a list");
  }
  std::vector<ToolCall> all;
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string place = fmt::format("{}[{}]", where, i);
    check_keys(value[i], place, {"id", "name", "arguments"});
    Json arguments = value[i].value("arguments", Json::object());
    if (!arguments.is_object()) {
      wrong(place + ".arguments", "must be an object");
    }
    all.push_back(
        {.id = text(value[i].value("id", Json(fmt::format("call_{}", i + 1))), place + ".id"),
         .name = text(value[i].value("name", Json()), place + ".name"),
         .arguments = arguments.dump()});
  }
  return all;
}

Usage usage(const Json& value, const std::string& where) {
  check_keys(value, where, {"input", "cache_read", "cache_write", "output", "reasoning"});
  auto count = [&](const char* key) -> std::optional<std::int64_t> {
    if (!value.contains(key)) {
      return std::nullopt;
    }
    return number(value[key], where + "." + key);
  };
  return {.input = count("input"),
          .cache_read = count("cache_read"),
          .cache_write = count("cache_write"),
          .output = count("output"),
          .reasoning = count("reasoning")};
}

Stop stop(const Json& value, const std::string& where) {
  std::string name = text(value, where);
  constexpr std::array<std::pair<std::string_view, Stop>, 4> k_stops{{{"end", Stop::end},
                                                                      {"length", Stop::length},
                                                                      {"tool_use", Stop::tool_use},
                                                                      {"refusal", Stop::refusal}}};
  for (const auto& [known, meaning] : k_stops) {
    if (name == known) {
      return meaning;
    }
  }
  wrong(where, "must be `end`, `length`, `tool_use` or `refusal`");
}

Error fault(const std::string& name, const std::string& where) {
  constexpr std::array k_faults{ErrorCode::unavailable,
                                ErrorCode::busy,
                                ErrorCode::timed_out,
                                ErrorCode::refused,
                                ErrorCode::permission,
                                ErrorCode::corrupt,
                                ErrorCode::too_large,
                                ErrorCode::not_found,
                                ErrorCode::invalid_argument};
  for (ErrorCode code : k_faults) {
    if (to_string(code) == name) {
      return {code, fmt::format("the scripted model fails here as `{}`", name), {}};
    }
  }
  wrong(where, "must be `refusal` or the code of an error, as `unavailable` or `busy`");
}

ScriptRule rule(const Json& row, const std::string& where) {
  check_keys(row,
             where,
             {"model",
              "system",
              "user",
              "sample",
              "turn",
              "chance",
              "seed",
              "answer",
              "calls",
              "stop",
              "usage",
              "cost",
              "delay_ms",
              "fault",
              "comment"});
  ScriptRule made;
  made.answer.provider = "scripted";
  made.answer.model = "scripted";
  made.answer.cost = 0;
  bool says_something = false;
  for (const auto& [key, value] : row.items()) {
    std::string at = where + "." + key;
    if (key == "model") {
      made.model = texts(value, at);
    } else if (key == "system") {
      made.system = texts(value, at);
    } else if (key == "user") {
      made.user = texts(value, at);
    } else if (key == "sample") {
      made.samples = samples(value, at);
    } else if (key == "turn") {
      made.turn = static_cast<std::size_t>(number(value, at));
    } else if (key == "chance") {
      made.chance = amount(value, at, 1);
    } else if (key == "seed") {
      made.seed = static_cast<std::uint64_t>(number(value, at));
    } else if (key == "answer") {
      // An object is what a model with an answer schema would write.
      made.answer.text = value.is_structured() ? value.dump() : text(value, at);
      says_something = true;
    } else if (key == "calls") {
      made.answer.calls = calls(value, at);
      made.answer.stop = row.contains("stop") ? made.answer.stop : Stop::tool_use;
      says_something = true;
    } else if (key == "stop") {
      made.answer.stop = stop(value, at);
    } else if (key == "usage") {
      made.answer.usage = usage(value, at);
    } else if (key == "cost") {
      made.answer.cost = amount(value, at, 1e6);
    } else if (key == "delay_ms") {
      made.delay = std::chrono::milliseconds(number(value, at));
    } else if (key == "fault") {
      says_something = true;
      if (value == "refusal") {
        made.answer.stop = Stop::refusal; // an answer, as with a real model
      } else {
        made.fault = fault(text(value, at), at);
      }
    }
  }
  if (!says_something) {
    wrong(where, "needs `answer`, `calls` or `fault`");
  }
  return made;
}

} // namespace

Result<Script> read_script(std::string_view text, std::string_view what) {
  auto problem = [&](std::string_view said) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("`{}`: {}", what, said),
                "it is `{\"rules\": [{\"user\": \"TEXT\", \"answer\": \"TEXT\"}]}`");
  };
  try {
    if (is_too_deep(text)) {
      return problem("is nested too deeply");
    }
    Json document = Json::parse(text);
    check_keys(document, "the script", {"format", "rules", "comment"});
    if (document.value("format", Json(1)) != 1) {
      wrong("format", "must be 1");
    }
    Json rows = document.value("rules", Json());
    if (!rows.is_array()) {
      wrong("rules", "must be a list");
    }
    Script script{.name = std::string(what)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      script.rules.push_back(rule(rows[i], fmt::format("rules[{}]", i)));
    }
    return script;
  } catch (const Json::parse_error& broken) {
    std::string_view before = text.substr(0, broken.byte == 0 ? 0 : broken.byte - 1);
    return problem(fmt::format("line {} is no JSON", std::ranges::count(before, '\n') + 1));
  } catch (const Wrong& thrown) {
    return problem(thrown.what());
  } catch (const Json::exception& thrown) {
    return problem(thrown.what());
  }
}

} // namespace upskill::models
