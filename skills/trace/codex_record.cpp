#include "skills/trace/codex_record.h"

#include "skills/trace/codex_output.h"

#include <algorithm>

namespace upskill::trace {
namespace {

// Of one record: what is beyond is left out, so that a hostile one stays small.
constexpr std::size_t k_max_parts = 4096;

std::optional<std::int32_t> exit_code_of(ondemand::value& value) {
  std::optional<std::int64_t> code = integer(value);
  if (!code || *code != static_cast<std::int32_t>(*code)) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*code);
}

Text input_of(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    return {*text, {}, Encoding::json_string};
  }
  return {raw_json(value), {}, Encoding::json_value};
}

// Takes away what the cache served or took, which is counted inside the input here.
void subtract(std::optional<std::int64_t>& input, const std::optional<std::int64_t>& part) {
  if (input && part) {
    input = std::max<std::int64_t>(*input, 0);
    *input -= std::clamp<std::int64_t>(*part, 0, *input);
  }
}

} // namespace

bool CodexRecord::read(ondemand::object object, EventBatch& batch) {
  type = {};
  turn = {};
  time_ms = {};
  payload = {};
  item = {};
  origin = {};
  parts.clear();
  images = 0;
  m_batch = &batch;
  m_is_sound = true;
  check(each_member(object, [&](std::string_view key, ondemand::value& value) {
    if (key == "type") {
      type = raw_or_empty(value);
    } else if (key == "timestamp") {
      time_ms = time_of(value);
    } else if (key == "payload") {
      check(each_member(value, [&](std::string_view name, ondemand::value& member) {
        read_payload_member(name, member);
      }));
    }
  }));
  return m_is_sound;
}

void CodexRecord::read_payload_member(std::string_view key, ondemand::value& value) {
  if (key == "item") {
    check(each_member(value, [&](std::string_view name, ondemand::value& member) {
      read_member(name, member, item);
    }));
  } else if (key == "turn_id") {
    turn = raw_or_empty(value);
  } else if (!read_origin_member(key, value)) {
    read_member(key, value, payload);
  }
}

bool CodexRecord::read_origin_member(std::string_view key, ondemand::value& value) {
  if (key == "cwd") {
    origin.cwd = raw_or_empty(value);
  } else if (key == "cli_version") {
    origin.version = raw_or_empty(value);
  } else if (key == "originator") {
    origin.originator = raw_or_empty(value);
  } else if (key == "forked_from_id") {
    origin.forked_from = raw_or_empty(value);
  } else if (key == "parent_thread_id") {
    origin.parent = raw_or_empty(value);
  } else if (key == "agent_nickname") {
    origin.nickname = raw_or_empty(value);
  } else if (key == "agent_role") {
    origin.agent_role = raw_or_empty(value);
  } else if (key == "thread_source") {
    origin.is_helper = origin.is_helper || raw_or_empty(value) == "subagent";
  } else if (key == "git") {
    check(each_member(value, [&](std::string_view name, ondemand::value& member) {
      if (name == "branch") {
        origin.branch = raw_or_empty(member);
      }
    }));
  } else if (key == "source") {
    read_source(value);
  } else {
    return false;
  }
  return true;
}

// "cli", or {"subagent": "review"}, or {"subagent": {"thread_spawn": {"parent_thread_id", ...}}}.
void CodexRecord::read_source(ondemand::value& source) {
  check(each_member(source, [&](std::string_view key, ondemand::value& helper) {
    if (key != "subagent") {
      return;
    }
    origin.is_helper = true;
    check(each_member(helper, [&](std::string_view kind, ondemand::value& spawn) {
      if (kind != "thread_spawn") {
        return;
      }
      check(each_member(spawn, [&](std::string_view name, ondemand::value& member) {
        if (name != "source" && name != "git") {
          read_origin_member(name, member);
        }
      }));
    }));
  }));
}

void CodexRecord::read_member(std::string_view key, ondemand::value& value, CodexItem& into) {
  if (key == "type") {
    into.type = raw_or_empty(value);
  } else if (key == "role") {
    into.role = raw_or_empty(value);
  } else if (key == "phase") {
    into.phase = raw_or_empty(value);
  } else if (key == "name" || key == "tool") {
    into.name = raw_or_empty(value);
  } else if (key == "namespace") {
    into.tool_space = raw_or_empty(value);
  } else if (key == "call_id") {
    into.call = raw_or_empty(value);
  } else if (key == "id") {
    into.id = raw_or_empty(value);
  } else if (key == "message" || key == "text" || key == "thread_name") {
    into.words = raw_or_empty(value);
  } else if (key == "content" || key == "summary" || key == "summary_text" || key == "fragments") {
    read_parts(value);
  } else if (key == "output") {
    read_output(value, into);
  } else if (key == "arguments" || key == "input" || key == "action") {
    into.input = input_of(value);
  } else {
    read_detail(key, value, into);
  }
}

void CodexRecord::read_detail(std::string_view key, ondemand::value& value, CodexItem& into) {
  if (key == "exit_code") {
    into.exit_code = exit_code_of(value);
  } else if (key == "success") {
    into.is_success = is_true(value);
  } else if (key == "status") {
    if (raw_or_empty(value) == "failed" || raw_or_empty(value) == "declined") {
      into.is_success = false;
    }
  } else if (key == "model") {
    into.model = raw_or_empty(value);
  } else if (key == "reason") {
    into.reason = raw_or_empty(value);
  } else if (key == "num_turns") {
    into.turns = raw_json(value);
  } else if (key == "images" || key == "local_images") {
    check(each_element(value, [&](ondemand::value&) { ++images; }));
  } else if (key == "info") {
    check(each_member(value, [&](std::string_view name, ondemand::value& usage) {
      if (name == "total_token_usage") {
        into.total = read_usage(usage);
      } else if (name == "last_token_usage") {
        into.last = read_usage(usage);
      }
    }));
  } else if (key == "thread_token_usage") {
    into.total = read_usage(value);
  }
}

// A string, or a list of strings and of {type, text}.
void CodexRecord::read_parts(ondemand::value& value) {
  auto take = [&](std::string_view text) {
    if (parts.size() < k_max_parts) {
      parts.push_back(text);
    }
  };
  if (std::optional<std::string_view> text = raw_string(value)) {
    take(*text);
    return;
  }
  check(each_element(value, [&](ondemand::value& part) {
    if (std::optional<std::string_view> text = raw_string(part)) {
      take(*text);
      return;
    }
    check(each_member(part, [&](std::string_view key, ondemand::value& member) {
      if (key == "text") {
        take(raw_or_empty(member));
      } else if (key == "type" && raw_or_empty(member).find("image") != std::string_view::npos) {
        ++images;
      }
    }));
  }));
}

// A string, parts, or {content, success}; the string may hold JSON in its turn.
void CodexRecord::read_output(ondemand::value& value, CodexItem& into) {
  std::size_t first = parts.size();
  ondemand::json_type kind{};
  if (value.type().get(kind) == simdjson::SUCCESS && kind == ondemand::json_type::object) {
    check(each_member(value, [&](std::string_view key, ondemand::value& member) {
      if (key == "content" || key == "output") {
        read_parts(member);
      } else if (key == "success") {
        into.is_success = is_true(member);
      } else if (key == "metadata") {
        check(each_member(member, [&](std::string_view name, ondemand::value& code) {
          if (name == "exit_code") {
            into.exit_code = exit_code_of(code);
          }
        }));
      }
    }));
  } else {
    read_parts(value);
  }
  if (parts.size() > first) {
    read_outcome(parts[first], into);
  }
}

void CodexRecord::read_outcome(std::string_view& part, CodexItem& into) {
  if (is_codex_json_output(part)) {
    std::string_view json = m_batch->keep(Text{part, {}, Encoding::json_string}.decoded());
    if (std::optional<CodexJsonOutput> inner = read_codex_json_output(json)) {
      part = inner->output;
      into.exit_code = inner->exit_code;
    }
    return;
  }
  CodexOutcome outcome = codex_outcome(part);
  if (outcome.exit_code) {
    into.exit_code = outcome.exit_code;
  }
  if (outcome.is_failure) {
    into.is_success = false;
  }
}

std::optional<Usage> CodexRecord::read_usage(ondemand::value& value) {
  Usage usage;
  check(each_member(value, [&](std::string_view key, ondemand::value& count) {
    if (key == "input_tokens") {
      usage.input = integer(count);
    } else if (key == "cached_input_tokens") {
      usage.cache_read = integer(count);
    } else if (key == "cache_write_input_tokens") {
      usage.cache_write = integer(count);
    } else if (key == "output_tokens") {
      usage.output = integer(count);
    }
  }));
  if (usage == Usage{}) {
    return std::nullopt;
  }
  subtract(usage.input, usage.cache_read);
  subtract(usage.input, usage.cache_write);
  return usage;
}

} // namespace upskill::trace
