#include "skills/trace/chat_content.h"

#include <algorithm>

namespace upskill::trace {
namespace {

// OpenAI's counts, of which one holds the other.
struct UsageWords {
  std::optional<std::int64_t> prompt = {}; // with what the cache served
  std::optional<std::int64_t> cached = {};
  std::optional<std::int64_t> written = {}; // into the cache; our own exports tell
};

void finish_usage(const UsageWords& words, Usage& usage) {
  usage.cache_read = words.cached ? words.cached : usage.cache_read;
  if (words.prompt) {
    usage.input = *words.prompt - std::min(words.cached.value_or(0), *words.prompt);
    if (words.written) {
      usage.input = *usage.input - std::clamp<std::int64_t>(*words.written, 0, *usage.input);
      usage.cache_write = words.written;
    }
  }
}

} // namespace

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_image_type(std::string_view type) {
  return is_one_of(type, {"image", "image_url", "input_image", "document", "audio"});
}

bool add_content(ondemand::value& content, EventBatch& batch) {
  if (std::optional<std::string_view> text = raw_string(content)) {
    batch.add_text(*text);
    return true;
  }
  bool is_sound = true;
  bool is_whole = each_element(content, [&](ondemand::value& block) {
    if (std::optional<std::string_view> text = raw_string(block)) {
      if (!text->empty()) {
        batch.add_text(*text);
      }
      return;
    }
    std::string_view text;
    std::string_view type;
    bool is_read = each_member(block, [&](std::string_view key, ondemand::value& value) {
      if (key == "text") {
        text = raw_or_empty(value);
      } else if (key == "type") {
        type = raw_or_empty(value);
      } else if (key == "resource") { // MCP
        is_sound = each_member(value,
                               [&](std::string_view name, ondemand::value& member) {
                                 text = name == "text" ? raw_or_empty(member) : text;
                               })
                   && is_sound;
      }
    });
    is_sound = is_read && is_sound;
    if (is_image_type(type)) {
      ++batch.events().back().images;
    } else if (!text.empty()) {
      batch.add_text(text);
    }
  });
  return is_whole && is_sound;
}

bool read_chat_usage(ondemand::value& value, Usage& usage) {
  UsageWords words;
  bool is_sound = true;
  bool is_whole = each_member(value, [&](std::string_view key, ondemand::value& member) {
    if (is_one_of(key, {"input", "input_tokens"})) {
      usage.input = integer(member);
    } else if (is_one_of(key, {"prompt_tokens", "total_prompt_tokens"})) {
      words.prompt = integer(member);
    } else if (is_one_of(
                   key,
                   {"output", "output_tokens", "completion_tokens", "total_completion_tokens"})) {
      usage.output = integer(member);
    } else if (is_one_of(key, {"cacheRead", "cache_read_input_tokens"})) {
      usage.cache_read = integer(member);
    } else if (is_one_of(key, {"cacheWrite", "cache_creation_input_tokens"})) {
      usage.cache_write = integer(member);
    } else if (is_one_of(key, {"cached_tokens", "total_cached_tokens"})) {
      words.cached = integer(member);
    } else if (is_one_of(key, {"cost_usd", "total_cost_usd"})) {
      usage.cost = number(member);
    } else if (is_one_of(key, {"cost", "prompt_tokens_details", "extra"})) {
      is_sound = each_member(member,
                             [&](std::string_view name, ondemand::value& amount) {
                               if (name == "total") {
                                 usage.cost = number(amount);
                               } else if (name == "cached_tokens") {
                                 words.cached = integer(amount);
                               } else if (name == "cache_write_tokens") {
                                 words.written = integer(amount);
                               }
                             })
                 && is_sound;
    }
  });
  finish_usage(words, usage);
  return is_whole && is_sound;
}

Text input_of(ondemand::value& value) {
  if (std::optional<std::string_view> text = raw_string(value)) {
    return {*text, {}, Encoding::json_string};
  }
  return {raw_json(value), {}, Encoding::json_value};
}

} // namespace upskill::trace
