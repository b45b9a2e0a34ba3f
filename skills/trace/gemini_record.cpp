#include "skills/trace/gemini_record.h"

#include <algorithm>
#include <utility>

namespace upskill::trace {
namespace {

// Of anything in one record: what is beyond is left out, so that a hostile one stays small.
constexpr std::size_t k_max_listed = 4096;

template <class T> void push(std::vector<T>& list, T item) {
  if (list.size() < k_max_listed) {
    list.push_back(std::move(item));
  }
}

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& more) {
  constexpr std::int64_t k_most = std::int64_t{1} << 60; // tokens; more are a lie
  if (sum && more && *sum<k_most&& * more> 0 && *more < k_most) {
    *sum += *more;
  }
}

} // namespace

bool GeminiRecord::read(ondemand::object object) {
  // The lists keep their room.
  GeminiRecord fresh;
  fresh.thoughts = std::exchange(thoughts, {});
  fresh.calls = std::exchange(calls, {});
  fresh.copies = std::exchange(copies, {});
  fresh.m_parts = std::exchange(m_parts, {});
  fresh.thoughts.clear();
  fresh.calls.clear();
  fresh.copies.clear();
  fresh.m_parts.clear();
  *this = std::move(fresh);
  check(each_member(
      object, [&](std::string_view key, ondemand::value& value) { read_member(key, value); }));
  return m_is_sound;
}

void GeminiRecord::read_member(std::string_view key, ondemand::value& value) {
  if (key == "type") {
    type = raw_or_empty(value);
  } else if (key == "id") {
    id = raw_or_empty(value);
  } else if (key == "timestamp") {
    time_ms = time_of(value);
  } else if (key == "content") {
    content = read_parts(value);
  } else if (key == "displayContent") {
    shown = read_parts(value);
  } else if (key == "model") {
    model = raw_or_empty(value);
  } else if (key == "thoughts") {
    check(each_element(value, [&](ondemand::value& thought) { read_thought(thought); }));
  } else if (key == "tokens") {
    read_usage(value);
  } else if (key == "toolCalls") {
    check(each_element(value, [&](ondemand::value& call) { read_call(call); }));
  } else if (key == "$rewindTo") {
    rewind = raw_or_empty(value);
  } else if (key == "$set") {
    read_change(value);
  } else {
    read_head_member(key, value);
  }
}

void GeminiRecord::read_head_member(std::string_view key, ondemand::value& value) {
  if (key == "sessionId") {
    session = raw_or_empty(value);
    is_head = true;
  } else if (key == "projectHash") {
    is_head = true;
  } else if (key == "startTime") {
    started_ms = time_of(value);
  } else if (key == "summary") {
    title = raw_or_empty(value);
  } else if (key == "kind") {
    is_sidechain = raw_or_empty(value) == "subagent";
  } else if (key == "directories") {
    check(each_element(value, [&](ondemand::value& element) {
      folder = folder.empty() ? raw_or_empty(element) : folder;
    }));
  }
}

void GeminiRecord::read_change(ondemand::value& value) {
  is_change = true;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "messages") {
      check(each_element(member, [&](ondemand::value& message) { read_copy(message); }));
    } else {
      read_head_member(key, member);
    }
  }));
}

void GeminiRecord::read_copy(ondemand::value& value) {
  GeminiCopy copy;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "type") {
      copy.type = raw_or_empty(member);
    } else if (key == "id") {
      copy.id = raw_or_empty(member);
    } else if (key == "content") {
      copy.content = read_parts(member);
    }
  }));
  push(copies, copy);
}

// A string, a part, or a list of both.
GeminiRange GeminiRecord::read_parts(ondemand::value& value) {
  std::size_t begin = m_parts.size();
  if (!read_part(value)) {
    check(each_element(value, [&](ondemand::value& part) { read_part(part); }));
  }
  return {begin, m_parts.size()};
}

// False where it is neither a string nor an object.
bool GeminiRecord::read_part(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    push(m_parts, GeminiPart{*text});
    return true;
  }
  ondemand::json_type kind{};
  if (value.type().get(kind) != simdjson::SUCCESS || kind != ondemand::json_type::object) {
    return false;
  }
  GeminiPart part;
  bool has_text = false;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "text") {
      part.text = raw_or_empty(member);
      has_text = true;
    } else if (key == "thought") {
      part.is_thought = is_true(member);
    } else if (key == "functionResponse") {
      part.is_result = has_text = true;
      part.text = read_response(member);
    } else if (key == "inlineData" || key == "fileData") {
      ++images;
    }
  }));
  if (has_text) {
    push(m_parts, part);
  }
  return true;
}

// {id, name, response: {output} or {error}}.
std::string_view GeminiRecord::read_response(ondemand::value& value) {
  std::string_view text;
  check(each_member(value, [&](std::string_view key, ondemand::value& response) {
    if (key != "response") {
      return;
    }
    check(each_member(response, [&](std::string_view name, ondemand::value& member) {
      if (name == "output" || name == "error") {
        text = raw_or_empty(member);
        m_has_failed = m_has_failed || name == "error";
      }
    }));
  }));
  return text;
}

// {subject, description}.
void GeminiRecord::read_thought(ondemand::value& value) {
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "subject" || key == "description") {
      push(thoughts, raw_or_empty(member));
    }
  }));
}

void GeminiRecord::read_call(ondemand::value& value) {
  GeminiCall call;
  m_has_failed = false;
  check(each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (key == "id") {
      call.id = raw_or_empty(member);
    } else if (key == "name") {
      call.name = raw_or_empty(member);
    } else if (key == "args") {
      call.input = {raw_json(member), {}, Encoding::json_value};
    } else if (key == "status") {
      call.status = raw_or_empty(member);
    } else if (key == "result") {
      call.result = read_parts(member);
      call.has_result = call.result.end > call.result.begin;
    } else if (key == "resultDisplay") {
      call.shown = raw_or_empty(member);
    }
  }));
  call.has_failed = m_has_failed || call.status == "error" || call.status == "cancelled";
  push(calls, call);
}

// What the cache served is counted inside the input here, and reasoning apart from the output.
void GeminiRecord::read_usage(ondemand::value& value) {
  Usage sum;
  std::optional<std::int64_t> reasoning;
  std::optional<std::int64_t> of_tools;
  check(each_member(value, [&](std::string_view key, ondemand::value& count) {
    if (key == "input") {
      sum.input = integer(count);
    } else if (key == "output") {
      sum.output = integer(count);
    } else if (key == "cached") {
      sum.cache_read = integer(count);
    } else if (key == "thoughts") {
      reasoning = integer(count);
    } else if (key == "tool") {
      of_tools = integer(count);
    }
  }));
  if (sum == Usage{}) {
    return;
  }
  if (sum.input && sum.cache_read) {
    sum.input = std::max<std::int64_t>(*sum.input, 0);
    *sum.input -= std::clamp<std::int64_t>(*sum.cache_read, 0, *sum.input);
  }
  add(sum.input, of_tools);
  add(sum.output, reasoning);
  usage = sum;
}

} // namespace upskill::trace
