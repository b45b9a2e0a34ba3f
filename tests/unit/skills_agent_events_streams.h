#pragma once
#include "skills/agent_events/event_reader.h"

#include <string_view>

namespace upskill::agent_events {

// What a whole stream says, read at once.
inline AgentRun read_stream(Agent agent, std::string_view stream) {
  EventReader reader(agent, {"git-commit", "changelog"});
  reader.take(stream);
  return reader.finish();
}

// The events of a run that used the skill `git-commit` and answered `feat(login): add form`, in
// the form of each agent's version in skills/agent_events/README.md, cut to what is read.
inline constexpr std::string_view k_claude_stream =
    R"({"type":"system","subtype":"init","cwd":"/w","tools":["Skill"],"model":"claude-sonnet-5-5","claude_code_version":"2.1.329","skills":["git-commit","verify"]}
{"type":"assistant","message":{"model":"claude-sonnet-5-5","content":[{"type":"tool_use","id":"t1","name":"Skill","input":{"skill":"git-commit"}}],"usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Launching skill: git-commit"}]},"tool_use_result":{"success":true,"commandName":"git-commit"}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Base directory for this skill: /w"}]},"isSynthetic":true}
{"type":"assistant","message":{"model":"claude-sonnet-5-5","content":[{"type":"text","text":"feat(login): add form"}]},"parent_tool_use_id":null}
{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"num_turns":2,"result":"feat(login): add form","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{"claude-sonnet-5-5":{"inputTokens":1700,"outputTokens":18,"cacheReadInputTokens":300,"cacheCreationInputTokens":50,"thinkingTokens":4,"costUSD":0.00350,"costBasis":"list"}}}
)";

inline constexpr std::string_view k_codex_stream =
    R"({"type":"thread.started","thread_id":"01"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `m1` not found."}}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat .agents/skills/git-commit/SKILL.md'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat .agents/skills/git-commit/SKILL.md'","aggregated_output":"---\nname: git-commit\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"feat(login): add form"}}
{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":300,"cache_write_input_tokens":50,"output_tokens":100,"reasoning_output_tokens":40}}
)";

inline constexpr std::string_view k_gemini_stream =
    R"(Loaded cached credentials.
{"type":"init","session_id":"2","model":"auto"}
{"type":"message","role":"user","content":"write a commit message"}
{"type":"message","role":"assistant","content":"I look at the skill","delta":true}
{"type":"tool_use","tool_name":"activate_skill","tool_id":"a1","parameters":{"name":"git-commit"}}
{"type":"tool_result","tool_id":"a1","status":"success","output":"Skill **git-commit** activated."}
{"type":"message","role":"assistant","content":"feat(login): ","delta":true}
{"type":"message","role":"assistant","content":"add form","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":1100,"input_tokens":1000,"output_tokens":60,"cached":300,"input":700,"duration_ms":76,"tool_calls":1,"models":{"gemini-2.5-flash":{"input_tokens":1000}}}}
)";

inline constexpr std::string_view k_opencode_stream =
    R"({"type":"step_start","sessionID":"s","part":{"type":"step-start"}}
{"type":"text","part":{"type":"text","text":"I look at the skill"}}
{"type":"tool_use","part":{"type":"tool","tool":"skill","callID":"c1","state":{"status":"completed","input":{"name":"git-commit"},"output":"..."}}}
{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"total":807,"input":800,"output":5,"reasoning":2,"cache":{"write":0,"read":0}},"cost":0.000814}}
{"type":"step_start","part":{"type":"step-start"}}
{"type":"text","part":{"type":"text","text":"feat(login): add form"}}
{"type":"step_finish","part":{"reason":"stop","tokens":{"total":1000,"input":600,"output":60,"reasoning":40,"cache":{"write":0,"read":300}},"cost":0.0009}}
)";

inline constexpr std::string_view k_copilot_stream =
    R"({"type":"session.skills_loaded","data":{"skills":[{"name":"git-commit","source":"project"},{"name":"github-pr-media","source":"builtin"}]}}
{"type":"user.message","data":{"content":"write a commit message"}}
{"type":"model.call_start","data":{"model":"m1"}}
{"type":"assistant.message","data":{"model":"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"skill"}]}}
{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"skill","arguments":{"skill":"git-commit"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"loaded"}}}
{"type":"assistant.message_delta","data":{"deltaContent":"feat"}}
{"type":"assistant.message","data":{"model":"m1","content":"feat(login): add form","toolRequests":[]}}
{"type":"result","sessionId":"6","exitCode":0,"usage":{"premiumRequests":0}}
)";

inline constexpr std::string_view k_copilot_usage =
    R"({"modelMetrics":{"m1":{"requests":{"count":2,"cost":0},"usage":{"inputTokens":1000,"outputTokens":100,"cacheReadTokens":300,"cacheWriteTokens":0,"reasoningTokens":40}}}})";

inline constexpr std::string_view k_cursor_stream =
    R"({"type":"system","subtype":"init","model":"auto","session_id":"1"}
{"type":"user","message":{"content":[{"type":"text","text":"write a commit message"}]}}
{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"/w/.cursor/skills/git-commit/SKILL.md"}}}}
{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"/w/.cursor/skills/git-commit/SKILL.md"},"result":{"success":{"content":"..."}}}}}
{"type":"assistant","message":{"content":[{"type":"text","text":"feat(login): add form"}]}}
{"type":"result","subtype":"success","is_error":false,"duration_ms":10,"result":"feat(login): add form"}
)";

struct AgentStream {
  Agent agent;
  std::string_view stream;
};

inline constexpr AgentStream k_streams[] = {{Agent::claude_code, k_claude_stream},
                                            {Agent::codex, k_codex_stream},
                                            {Agent::gemini, k_gemini_stream},
                                            {Agent::opencode, k_opencode_stream},
                                            {Agent::copilot, k_copilot_stream},
                                            {Agent::cursor, k_cursor_stream}};

} // namespace upskill::agent_events
