#pragma once
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::models {

enum class Role { user, assistant };

// A model's wish to use a tool; `arguments` is a JSON object.
struct ToolCall {
  std::string id = {};
  std::string name = {};
  std::string arguments = {};

  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

struct ToolResult {
  std::string call_id = {};
  std::string text = {};
  bool failed = false;

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};

// Text, and of an assistant the calls it made, of a user what they returned.
struct Message {
  Role role = Role::user;
  std::string text = {};
  std::vector<ToolCall> calls = {};
  std::vector<ToolResult> results = {};

  friend bool operator==(const Message&, const Message&) = default;
};

struct Tool {
  std::string name = {};
  std::string description = {};
  std::string schema = {}; // JSON Schema of an object

  friend bool operator==(const Tool&, const Tool&) = default;
};

// What a model is asked. Two requests with the same members are the same question; `sample` tells
// its repetitions apart.
struct Request {
  std::string model = {}; // as a person names it: `sonnet`, `openai.gpt-5.5.low`, `generic.NAME`
  std::string system = {};
  std::vector<Message> messages = {};
  std::vector<Tool> tools = {};
  std::string answer_schema = {}; // JSON Schema; empty: free text
  std::int64_t max_tokens = 8192;
  std::uint32_t sample = 0;

  friend bool operator==(const Request&, const Request&) = default;
};

// Tokens of one answer, or of many added up. What the server did not tell is unknown, never 0.
struct Usage {
  std::optional<std::int64_t> input = {}; // without what the cache served or took
  std::optional<std::int64_t> cache_read = {};
  std::optional<std::int64_t> cache_write = {};
  std::optional<std::int64_t> output = {}; // with reasoning
  std::optional<std::int64_t> reasoning = {};

  friend bool operator==(const Usage&, const Usage&) = default;
};

enum class Stop { end, length, tool_use, refusal };

struct Answer {
  std::string text = {};
  std::vector<ToolCall> calls = {};
  Stop stop = Stop::end;
  Usage usage = {};
  std::optional<double> cost = {}; // US dollars; unknown without a price or without usage
  std::string model = {};          // as the server names it
  std::string provider = {};       // `anthropic`, `openai`, `generic`, `hf`, `scripted`
  std::int64_t milliseconds = 0;   // from the request to the last byte
  bool cached = false;             // it was given before: nothing was spent

  friend bool operator==(const Answer&, const Answer&) = default;
};

// Somebody who answers. An error is never an answer: not_found (no such model), permission (no key,
// a wrong one), refused (quota, budget), busy (rate limits after all tries), timed_out, unavailable
// (not there, cut off), corrupt (what came is no answer), too_large, invalid_argument (the server
// will not take the request).
class Model {
public:
  virtual ~Model() = default;

  virtual asio::awaitable<Result<Answer>> answer(Request request) = 0;
};

} // namespace upskill::models
