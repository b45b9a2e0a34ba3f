#pragma once
#include "daemon/models/failure.h"
#include "daemon/models/http_message.h"
#include "daemon/models/model.h"
#include "daemon/models/model_name.h"
#include "daemon/models/sse.h"
#include "daemon/models/wire_json.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::models {

inline constexpr std::size_t k_longest_answer = 16u << 20; // bytes of a response's body

// A request as one wire writes it.
struct WireCall {
  std::string url = {};
  Headers headers = {}; // with the key
  std::string body = {};
};

// How it is to be written.
struct WireTarget {
  ResolvedModel model = {};
  std::string key = {};
  std::vector<std::string> left_out = {}; // fields that this model does not take

  bool leaves_out(std::string_view field) const;
};

using AnswerOrFailure = tl::expected<Answer, Failure>;

// Reads one response, a stream of events or one document, whatever comes.
// Owner: one try. Thread: the caller's. Lifetime: the try's.
class AnswerReader {
public:
  virtual ~AnswerReader() = default;

  // The next piece of the body. An error (too_large, corrupt) is final: stop reading.
  Result<void> take(std::string_view bytes);
  // After the last piece: the answer without cost and provider. `status` and `headers` are the
  // response's, the rest as for failure_of.
  AnswerOrFailure finish(int status,
                         const Headers& headers,
                         std::int64_t unix_ms,
                         std::string_view where,
                         std::string_view model);

  // Something of an answer came: then another try is not the same question's first.
  bool has_content() const { return m_has_content; }

protected:
  virtual void on_event(const nlohmann::json& data) = 0;
  virtual void on_document(const nlohmann::json& document) = 0;

  virtual void on_done() {} // `[DONE]`

  virtual void at_end() {} // before the answer is handed out

  void add_text(std::string_view text);
  void fail_with(ServerError said);

  Answer m_answer;
  bool m_is_complete = false; // the last thing that belongs to an answer came
  bool m_has_content = false;

private:
  void event(const SseEvent& event);
  Result<void> take_document(int status);

  SseParser m_events{k_longest_answer};
  std::optional<bool> m_is_stream; // known from the first bytes
  bool m_is_garbled = false;       // a piece of the stream could not be read
  std::size_t m_size = 0;
  std::string m_body; // of a document, or what came before one could tell
  std::optional<ServerError> m_said;
};

// invalid_argument: a schema that is no JSON object. unsupported: the wire is `scripted`.
Result<WireCall> write_call(const Request& request, const WireTarget& target);
std::unique_ptr<AnswerReader> make_reader(Wire wire);

// The system text, with the answer's schema in words where the model cannot
// be made to keep to one.
std::string system_text(const Request& request, bool has_schema_in_words);

} // namespace upskill::models
