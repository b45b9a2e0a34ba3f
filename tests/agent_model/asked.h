#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_model {

using Json = nlohmann::json;

struct OfferedTool {
  std::string name;
  std::string space = {}; // Responses: the namespace that it is called in
};

// A request for words of a model, whatever its form.
struct Asked {
  std::string model = {};
  bool is_stream = false;
  bool wants_json = false;
  std::string fresh = {};   // what was said since the model last spoke, results of tools among it
  std::string results = {}; // the results of tools among it
  bool has_results = false;
  std::vector<OfferedTool> tools = {};
};

struct Call {
  OfferedTool tool;
  Json arguments;
};

// What the model says: words or a call, or an error instead.
struct Said {
  std::string text = {};
  std::optional<Call> call = {};
  int status = 200;
  int input = 100; // tokens
  int output = 5;
  int number = 0; // of the request, so that ids differ
};

// How one API is read and written.
struct Wire {
  std::string_view name;
  Asked (*read)(const Json& body);
  Json (*whole)(const Said& said, const Asked& asked);
  // The events of a stream, as bytes.
  std::string (*stream)(const Said& said, const Asked& asked);
  Json (*error)(int status, const std::string& message);
};

extern const Wire k_anthropic; // Messages
extern const Wire k_responses; // OpenAI Responses
extern const Wire k_chat;      // OpenAI Chat Completions
extern const Wire k_gemini;    // generateContent

// One event of server-sent events; without a name only its data.
std::string event(std::string_view name, const Json& data);

// Never throws, whatever the text holds.
std::string dump(const Json& value);

// The text of a content that is a string, a block, or a list of blocks, whatever they are called.
std::string text_of(const Json& content);

// The member, or null where it is none.
const Json& at(const Json& object, const char* name);

std::string string_at(const Json& object, const char* name);

} // namespace upskill::agent_model
