#pragma once
#include "skills/trace/json_record.h"

#include <initializer_list>
#include <string_view>

// What the members of a message hold, in the words of all who write them.
namespace upskill::trace {

// A string, or blocks of text and images, as the text of the event that was added last. False where
// the JSON is broken.
bool add_content(ondemand::value& content, EventBatch& batch);

// Tokens in any of the words that are in use. False where the JSON is broken.
bool read_chat_usage(ondemand::value& value, Usage& usage);

// What was given to a tool: an object, or a string that holds one.
Text input_of(ondemand::value& value);

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

// Of a block that is left out of the text, and counted.
bool is_image_type(std::string_view type);

} // namespace upskill::trace
