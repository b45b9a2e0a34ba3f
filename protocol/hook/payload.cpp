#include "protocol/hook/payload.h"

#include "protocol/base/paths.h"
#include "protocol/hook/member_scanner.h"

#include <algorithm>
#include <array>

namespace upskill::hook {
namespace {

// What members of a payload mean, whatever their agent calls them.
enum class Meaning { event, session, turn, transcript, helper, helper_transcript, cwd, workspace };

// Whose a member is, where that is certain; empty where several agents have it.
struct Member {
  std::string_view key;
  Meaning meaning;
  std::string_view agent = {};
};

// Where two members mean the same, both may be there: the upper row is believed.
constexpr std::array k_members{
    Member{"hook_event_name", Meaning::event},
    Member{"hookEventName", Meaning::event, k_copilot},
    Member{"session_id", Meaning::session},
    Member{"sessionId", Meaning::session, k_copilot},
    Member{"conversation_id", Meaning::session, k_cursor},
    Member{"thread-id", Meaning::session, k_codex},
    Member{"generation_id", Meaning::turn, k_cursor},
    Member{"turn_id", Meaning::turn, k_codex},
    Member{"turn-id", Meaning::turn, k_codex},
    Member{"transcript_path", Meaning::transcript},
    Member{"transcriptPath", Meaning::transcript, k_copilot},
    Member{"agent_id", Meaning::helper},
    Member{"agent_transcript_path", Meaning::helper_transcript},
    Member{"cwd", Meaning::cwd},
    Member{"workspace_roots", Meaning::workspace, k_cursor},
};
constexpr std::size_t k_none = k_members.size();

// Members that tell the agent, and nothing else that is wanted.
constexpr std::array k_signs{Member{"cursor_version", Meaning::event, k_cursor},
                             Member{"toolName", Meaning::event, k_copilot},
                             Member{"toolArgs", Meaning::event, k_copilot}};

// Gemini's own; `SessionStart`, `SessionEnd` and `Notification` are others' too.
constexpr std::array<std::string_view, 8> k_gemini_events{"BeforeAgent",
                                                          "AfterAgent",
                                                          "BeforeModel",
                                                          "AfterModel",
                                                          "BeforeToolSelection",
                                                          "BeforeTool",
                                                          "AfterTool",
                                                          "PreCompress"};

// Codex's `notify` names its event like this, and gives it as an argument.
constexpr std::string_view k_turn_complete = "agent-turn-complete";

bool is_path(Meaning meaning) {
  return meaning == Meaning::transcript || meaning == Meaning::helper_transcript
         || meaning == Meaning::cwd || meaning == Meaning::workspace;
}

// Names and ids are printable ASCII: they end up in tables and logs.
bool is_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string name_of(std::string_view text) {
  return text.size() <= k_max_name && is_name(text) ? std::string(text) : std::string();
}

// Reads one payload. Lives for that.
class Reading {
public:
  explicit Reading(std::string_view json) {
    MemberScanner members(json.substr(0, k_max_payload));
    while (members.next()) {
      take(members.key(), members.value());
    }
  }

  HookEvent event(const HookHints& hints) {
    m_event.agent = is_agent_id(hints.agent) ? hints.agent : agent();
    if (m_event.event.empty()) {
      m_event.event = m_is_notify ? std::string(k_turn_complete) : name_of(hints.event);
    }
    return std::move(m_event);
  }

private:
  void take(std::string_view key, std::string_view value) {
    for (const Member& sign : k_signs) {
      note(sign.key == key ? sign.agent : std::string_view());
    }
    if (key == "timestamp") {
      m_has_iso_time = value.starts_with('"');
      m_has_number_time = !m_has_iso_time;
    } else if (key == "type") {
      m_is_notify = string_of(value, k_max_name) == k_turn_complete;
    }
    for (std::size_t row = 0; row < k_members.size(); ++row) {
      if (k_members[row].key == key) {
        note(k_members[row].agent);
        keep(row, value);
        return;
      }
    }
  }

  // Cursor also runs what Claude Code was configured with, and others' words may then be there too.
  void note(std::string_view agent) {
    if (m_sign.empty() || agent == k_cursor) {
      m_sign = agent;
    }
  }

  void keep(std::size_t row, std::string_view value) {
    Meaning meaning = k_members[row].meaning;
    if (meaning == Meaning::workspace) {
      value = first_string_of(value);
    }
    auto [field, said_by] = place_of(meaning);
    // An empty `cwd` (Cursor's CLI) says nothing, and `null` says nothing either.
    std::optional<std::string> text = string_of(value, is_path(meaning) ? k_max_path : k_max_name);
    if (!text || text->empty() || *said_by < row || (!is_path(meaning) && !is_name(*text))) {
      return;
    }
    *field = std::move(*text);
    *said_by = row;
  }

  struct Place {
    std::string* field;
    std::size_t* said_by; // row that the field is from, or k_none
  };

  Place place_of(Meaning meaning) {
    switch (meaning) {
    case Meaning::event:
      return {&m_event.event, &m_said_by[0]};
    case Meaning::session:
      return {&m_event.session, &m_said_by[1]};
    case Meaning::turn:
      return {&m_event.turn, &m_said_by[2]};
    case Meaning::transcript:
      return {&m_event.transcript, &m_said_by[3]};
    case Meaning::helper:
      return {&m_event.helper, &m_said_by[4]};
    case Meaning::helper_transcript:
      return {&m_event.helper_transcript, &m_said_by[5]};
    case Meaning::cwd:
    case Meaning::workspace:
      break;
    }
    return {&m_event.cwd, &m_said_by[6]};
  }

  std::string_view agent() const {
    if (m_is_notify) {
      return k_codex;
    }
    if (!m_sign.empty()) {
      return m_sign;
    }
    bool is_claude = m_event.transcript.find("/.claude/") != std::string::npos;
    bool is_gemini = std::find(k_gemini_events.begin(), k_gemini_events.end(), m_event.event)
                         != k_gemini_events.end()
                     || (m_has_iso_time && !m_event.event.empty() && !is_claude);
    if (is_gemini) {
      return k_gemini_cli;
    }
    if (m_event.event.empty()) {
      return m_has_number_time ? k_copilot : std::string_view();
    }
    // A rollout is Codex's own name of a session's file, whichever the event.
    return base_name(m_event.transcript).starts_with("rollout-") ? k_codex : k_claude_code;
  }

  HookEvent m_event = {};
  std::string_view m_sign = {};
  std::array<std::size_t, 7> m_said_by{k_none, k_none, k_none, k_none, k_none, k_none, k_none};
  bool m_is_notify = false;
  bool m_has_iso_time = false;
  bool m_has_number_time = false;
};

} // namespace

HookEvent read_payload(std::string_view json, const HookHints& hints) {
  return Reading(json).event(hints);
}

bool is_agent_id(std::string_view text) {
  return !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

} // namespace upskill::hook
