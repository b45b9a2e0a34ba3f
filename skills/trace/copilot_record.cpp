#include "skills/trace/copilot_record.h"

#include <algorithm>
#include <utility>

namespace upskill::trace {
namespace {

constexpr std::size_t k_max_calls = 4096; // of one record: what is beyond is left out

Text input_of(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    return {*text, {}, Encoding::json_string};
  }
  return {raw_json(value), {}, Encoding::json_value};
}

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& more) {
  constexpr std::int64_t k_most = std::int64_t{1} << 60; // tokens; more are a lie
  if (more && *more >= 0 && *more < k_most && sum.value_or(0) < k_most) {
    sum = sum.value_or(0) + *more;
  }
}

// What the cache served is counted inside the input here.
void subtract_cached(Usage& usage) {
  if (usage.input && usage.cache_read) {
    usage.input = std::max<std::int64_t>(*usage.input, 0);
    *usage.input -= std::clamp<std::int64_t>(*usage.cache_read, 0, *usage.input);
  }
}

} // namespace

bool CopilotRecord::read(ondemand::object object) {
  std::vector<CopilotCall> room = std::exchange(data.calls, {});
  room.clear();
  *this = CopilotRecord{};
  data.calls = std::move(room);
  check(each_member(object, [&](std::string_view key, ondemand::value& value) {
    if (key == "type") {
      type = raw_or_empty(value);
    } else if (key == "id") {
      id = raw_or_empty(value);
    } else if (key == "parentId") {
      parent = raw_or_empty(value);
    } else if (key == "agentId") {
      agent = raw_or_empty(value);
    } else if (key == "timestamp") {
      time_ms = time_of(value);
    } else if (key == "data") {
      check(each_member(value, [&](std::string_view name, ondemand::value& member) {
        read_member(name, member);
      }));
    }
  }));
  if (agent.empty()) {
    agent = data.parent_call;
  }
  return m_is_sound;
}

void CopilotRecord::read_member(std::string_view key, ondemand::value& value) {
  if (key == "content") {
    data.content = raw_or_empty(value);
  } else if (key == "message" || key == "title" || key == "summaryContent" || key == "summary") {
    data.words = raw_or_empty(value);
  } else if (key == "reasoningText") {
    data.reasoning = raw_or_empty(value);
  } else if (key == "source") {
    data.source = raw_or_empty(value);
  } else if (key == "messageId" || key == "reasoningId") {
    data.message = raw_or_empty(value);
  } else if (key == "phase") {
    data.phase = raw_or_empty(value);
  } else if (key == "name") {
    data.name = raw_or_empty(value);
  } else if (key == "upToEventId") {
    data.rewind = raw_or_empty(value);
  } else if (key == "attachments") {
    check(each_element(value, [&](ondemand::value& attachment) { read_attachment(attachment); }));
  } else if (key == "outputTokens") {
    data.usage = data.usage.value_or(Usage{});
    data.usage->output = integer(value);
  } else {
    read_session_member(key, value);
  }
}

void CopilotRecord::read_session_member(std::string_view key, ondemand::value& value) {
  if (key == "sessionId") {
    data.session = raw_or_empty(value);
  } else if (key == "copilotVersion") {
    data.version = raw_or_empty(value);
  } else if (key == "context") {
    read_context(value);
  } else if (key == "interactionId" || (key == "turnId" && data.turn.empty())) {
    data.turn = raw_or_empty(value);
  } else if (key == "model" || key == "newModel" || key == "selectedModel"
             || key == "currentModel") {
    data.model = raw_or_empty(value);
  } else if (key == "modelMetrics") {
    check(each_member(value,
                      [&](std::string_view, ondemand::value& metrics) { read_metrics(metrics); }));
  } else {
    read_tool_member(key, value);
  }
}

void CopilotRecord::read_tool_member(std::string_view key, ondemand::value& value) {
  if (key == "toolRequests") {
    check(each_element(value, [&](ondemand::value& request) { read_request(request); }));
  } else if (key == "parentToolCallId") {
    data.parent_call = raw_or_empty(value);
  } else if (key == "toolCallId") {
    data.call.id = raw_or_empty(value);
  } else if (key == "toolName") {
    data.call.name = raw_or_empty(value);
  } else if (key == "arguments") {
    data.call.input = input_of(value);
  } else if (key == "success") {
    data.is_success = is_true(value);
  } else if (key == "result") {
    read_result(value);
  } else if (key == "error") {
    read_error(value);
  }
}

// {cwd, gitRoot, branch, repository}.
void CopilotRecord::read_context(ondemand::value& value) {
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "cwd") {
      data.cwd = raw_or_empty(member);
    } else if (key == "branch") {
      data.branch = raw_or_empty(member);
    }
  }));
}

void CopilotRecord::read_attachment(ondemand::value& value) {
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    bool is_image = key == "mimeType" && raw_or_empty(member).starts_with("image/");
    data.images += is_image ? 1 : 0;
  }));
}

void CopilotRecord::read_request(ondemand::value& value) {
  CopilotCall call;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "toolCallId") {
      call.id = raw_or_empty(member);
    } else if (key == "name") {
      call.name = raw_or_empty(member);
    } else if (key == "arguments") {
      call.input = input_of(member);
    }
  }));
  if (data.calls.size() < k_max_calls) {
    data.calls.push_back(call);
  }
}

// A string, or {content, detailedContent, contents: [{type: terminal, exitCode}]}.
void CopilotRecord::read_result(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    data.result = *text;
    return;
  }
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "content") {
      data.result = raw_or_empty(member);
    } else if (key == "contents") {
      check(each_element(member, [&](ondemand::value& block) {
        check(each_member(block, [&](std::string_view name, ondemand::value& detail) {
          std::optional<std::int64_t> code =
              name == "exitCode" ? integer(detail) : std::optional<std::int64_t>{};
          if (code && *code == static_cast<std::int32_t>(*code)) {
            data.exit_code = static_cast<std::int32_t>(*code);
          }
          data.images += name == "type" && raw_or_empty(detail) == "image" ? 1 : 0;
        }));
      }));
    }
  }));
}

// A string, or {message, code}.
void CopilotRecord::read_error(ondemand::value& value) {
  data.failure = raw_or_empty(value);
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "message") {
      data.failure = raw_or_empty(member);
    }
  }));
}

// {requests, usage} of one model; their sum is the session's.
void CopilotRecord::read_metrics(ondemand::value& value) {
  Usage usage;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key != "usage") {
      return;
    }
    check(each_member(member, [&](std::string_view name, ondemand::value& count) {
      if (name == "inputTokens") {
        usage.input = integer(count);
      } else if (name == "outputTokens") {
        usage.output = integer(count);
      } else if (name == "cacheReadTokens") {
        usage.cache_read = integer(count);
      } else if (name == "cacheWriteTokens") {
        usage.cache_write = integer(count);
      }
    }));
  }));
  subtract_cached(usage);
  Usage sum = data.total.value_or(Usage{});
  add(sum.input, usage.input);
  add(sum.output, usage.output);
  add(sum.cache_read, usage.cache_read);
  add(sum.cache_write, usage.cache_write);
  sum.is_total = true;
  data.total = sum;
}

} // namespace upskill::trace
