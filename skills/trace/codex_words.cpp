#include "skills/trace/codex_words.h"

#include <array>
#include <span>

namespace upskill::trace {
namespace {

struct Word {
  std::string_view letters;
  EventForm form;
};

constexpr std::array k_beginnings = {
    Word{"<environment_context", EventForm::injected},
    Word{"<subagent_notification", EventForm::injected},
    Word{"<turn_aborted", EventForm::injected}, // the event of that name is the interrupt
    Word{"<hook_prompt", EventForm::injected},
    Word{"<codex_internal_context", EventForm::injected},
    Word{"<goal_context", EventForm::injected},
    Word{"<recommended_plugins", EventForm::injected},
    Word{"<token_budget", EventForm::injected},
    Word{"Warning: apply_patch was requested via ", EventForm::injected},
    Word{"Warning: The maximum number of unified exec processes", EventForm::injected},
    Word{"# AGENTS.md", EventForm::instructions},
    Word{"<user_instructions", EventForm::instructions},
    Word{"<INSTRUCTIONS", EventForm::instructions},
    Word{"<permissions instructions", EventForm::instructions},
    Word{"<collaboration_mode", EventForm::instructions},
    Word{"<personality", EventForm::instructions},
    Word{"<apps_instructions", EventForm::instructions},
    Word{"<plugins_instructions", EventForm::instructions},
    Word{"<model_switch", EventForm::instructions},
    Word{"<skill>", EventForm::skill},
    Word{"<skills_instructions", EventForm::skill},
    Word{"<user_shell_command", EventForm::command},
    Word{"<user_action", EventForm::command},
    Word{"Another language model started to solve this problem", EventForm::summary},
};

constexpr std::array k_records = {
    Word{"world_state", EventForm::state},
    Word{"inter_agent_communication", EventForm::state},
    Word{"inter_agent_communication_metadata", EventForm::state},
    Word{"token_usage_record", EventForm::state},
    Word{"security_risk_score", EventForm::state},
    Word{"retained_context", EventForm::state},
    Word{"realtime_item", EventForm::state},
};

constexpr std::array k_events = {
    Word{"agent_message", EventForm::copy},
    Word{"agent_reasoning", EventForm::copy},
    Word{"agent_reasoning_raw_content", EventForm::copy},
    Word{"exec_command_end", EventForm::copy},
    Word{"patch_apply_end", EventForm::copy},
    Word{"mcp_tool_call_end", EventForm::copy},
    Word{"web_search_end", EventForm::copy},
    Word{"image_generation_end", EventForm::copy},
    Word{"view_image_tool_call", EventForm::copy},
    Word{"dynamic_tool_call_request", EventForm::copy},
    Word{"dynamic_tool_call_response", EventForm::copy},
    Word{"collab_agent_spawn_end", EventForm::copy},
    Word{"collab_agent_interaction_end", EventForm::copy},
    Word{"collab_waiting_end", EventForm::copy},
    Word{"collab_close_end", EventForm::copy},
    Word{"collab_resume_end", EventForm::copy},
    Word{"context_compacted", EventForm::copy},
    Word{"error", EventForm::error},
    Word{"stream_error", EventForm::error},
    Word{"thread_name_updated", EventForm::title},
    Word{"thread_rolled_back", EventForm::rewind},
    Word{"warning", EventForm::state},
    Word{"task_started", EventForm::state},
    Word{"task_complete", EventForm::state},
    Word{"turn_started", EventForm::state},
    Word{"turn_complete", EventForm::state},
    Word{"thread_goal_updated", EventForm::state},
    Word{"thread_settings_applied", EventForm::state},
    Word{"entered_review_mode", EventForm::state},
    Word{"exited_review_mode", EventForm::state},
    Word{"sub_agent_activity", EventForm::state},
    Word{"session_configured", EventForm::state},
    Word{"background_event", EventForm::state},
    Word{"plan_update", EventForm::state},
    Word{"turn_diff", EventForm::state},
    Word{"agent_reasoning_section_break", EventForm::state},
};

constexpr std::array k_responses = {
    Word{"compaction", EventForm::state}, // encrypted; the record `compacted` is the border
    Word{"compaction_summary", EventForm::state},
    Word{"context_compaction", EventForm::state},
    Word{"compaction_trigger", EventForm::state},
    Word{"ghost_snapshot", EventForm::state},
    Word{"additional_tools", EventForm::state},
    Word{"other", EventForm::state},
};

constexpr std::array k_items = {
    Word{"AgentMessage", EventForm::copy},
    Word{"Reasoning", EventForm::copy},
    Word{"CommandExecution", EventForm::copy},
    Word{"FileChange", EventForm::copy},
    Word{"McpToolCall", EventForm::copy},
    Word{"DynamicToolCall", EventForm::copy},
    Word{"WebSearch", EventForm::copy},
    Word{"ImageView", EventForm::copy},
    Word{"ImageGeneration", EventForm::copy},
    Word{"CollabAgentToolCall", EventForm::copy},
    Word{"ContextCompaction", EventForm::copy},
    Word{"FunctionCallOutput", EventForm::copy},
    Word{"SubAgentActivity", EventForm::state},
    Word{"Sleep", EventForm::state},
    Word{"EnteredReviewMode", EventForm::state},
    Word{"ExitedReviewMode", EventForm::state},
};

EventForm form_of(std::span<const Word> words, std::string_view text) {
  for (const Word& word : words) {
    if (text == word.letters) {
      return word.form;
    }
  }
  return EventForm::unknown;
}

} // namespace

EventForm form_of_codex_text(std::string_view raw) {
  for (const Word& word : k_beginnings) {
    if (raw.starts_with(word.letters)) {
      return word.form;
    }
  }
  return EventForm::prompt;
}

std::string_view codex_skill_of(std::string_view raw) {
  constexpr std::string_view opening = "<name>";
  std::size_t begin = raw.starts_with("<skill>") ? raw.find(opening) : std::string_view::npos;
  if (begin == std::string_view::npos) {
    return {};
  }
  raw.remove_prefix(begin + opening.size());
  std::size_t end = raw.find("</name>");
  return end == std::string_view::npos ? std::string_view{} : raw.substr(0, end);
}

std::size_t start_of_codex_request(std::string_view raw) {
  constexpr std::string_view heading = "## My request for Codex:";
  std::size_t at = raw.starts_with("# ") ? raw.find(heading) : std::string_view::npos;
  if (at == std::string_view::npos) {
    return 0;
  }
  at += heading.size();
  while (raw.substr(at).starts_with("\\n")) {
    at += 2;
  }
  return at;
}

EventForm form_of_codex_record(std::string_view type) {
  return form_of(k_records, type);
}

EventForm form_of_codex_event(std::string_view type) {
  return form_of(k_events, type);
}

EventForm form_of_codex_response(std::string_view type) {
  return form_of(k_responses, type);
}

EventForm form_of_codex_item(std::string_view type) {
  return form_of(k_items, type);
}

} // namespace upskill::trace
