#pragma once
#include "skills/trace/chat_content.h"
#include "skills/trace/chat_words.h"

#include <optional>
#include <string_view>

namespace upskill::trace {

// A message as models' APIs have it, and most formats that are no single program's: {role, content,
// calls of tools}, in the words of OpenAI, Anthropic, MCP and pi alike. Its events are added while
// its members are read, and told whose they are at the end, because the role may come last.
// Owner: a reader, for one message. Thread: its. Lifetime: a record, or less.
class ChatMessage {
public:
  explicit ChatMessage(EventBatch& batch);

  // All of it. False where the JSON is broken.
  bool read(ondemand::value& message);
  // One member; what nobody knows is passed over. False where the JSON is broken.
  bool read_member(std::string_view key, ondemand::value& value);
  // Once all members were read.
  void finish();

  // As the message says it; empty until then.
  std::string_view role() const { return m_role; }

  // Its events are batch.events() from here on.
  std::size_t first() const { return m_first; }

private:
  bool read_mark(std::string_view key, ondemand::value& value);
  bool read_content(ondemand::value& content);
  bool read_block(ondemand::value& block);
  void finish_block(Event& event, std::string_view type);
  bool read_calls(ondemand::value& calls);
  bool read_call(std::string_view id, ondemand::value& call);
  bool read_call_member(std::size_t index, std::string_view key, ondemand::value& value);
  bool read_results(ondemand::value& results);
  bool read_channels(ondemand::value& channels);
  bool read_usage(ondemand::value& value);
  void finish_event(Event& event, Role role);
  void finish_assistant();

  EventBatch& m_batch;
  std::size_t m_first;
  std::string_view m_role = {};
  std::string_view m_call = {};
  std::string_view m_name = {};
  std::string_view m_model = {};
  std::string_view m_stop = {};
  std::string_view m_error = {};
  std::optional<bool> m_is_error = {};
  std::optional<Usage> m_usage = {};
  bool m_is_template = false;
};

} // namespace upskill::trace
