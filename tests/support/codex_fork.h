#pragma once
#include <string>

// A fork as Codex writes it: its own head, the other one's head and turns with new times, and then
// a turn of its own. Turns keep their ids, which tell when they were made.
namespace upskill::tests {

inline std::string codex_record(int second, const std::string& type, const std::string& payload) {
  std::string two = std::to_string(100 + second).substr(1);
  return R"({"timestamp":"2026-07-01T10:00:)" + two + R"(.000Z","type":")" + type
         + R"(","payload":)" + payload + "}\n";
}

// Unix time of 2026-07-01T10:00:00Z is 1782900000000, 0x019f1d1f0500.
inline const std::string k_parent = "019f1d1e-0000-7000-8000-000000000001";
inline const std::string k_fork = "019f1d1f-0500-7000-8000-000000000002";
inline const std::string k_old_turn = "019f1d1e-1000-7000-8000-000000000003";
inline const std::string k_older_turn = "019f1d1e-2000-7000-8000-000000000004";
inline const std::string k_new_turn = "019f1d1f-1000-7000-8000-000000000005";

inline std::string
codex_turn(int second, const std::string& id, const std::string& words, int total) {
  return codex_record(second, "event_msg", R"({"type":"task_started","turn_id":")" + id + R"("})")
         + codex_record(
             second, "event_msg", R"({"type":"user_message","message":")" + words + R"("})")
         + codex_record(second, "turn_context", R"({"turn_id":")" + id + R"("})")
         + codex_record(second,
                        "response_item",
                        R"({"type":"message","role":"assistant","content":[)"
                        R"({"type":"output_text","text":"Did )"
                            + words + R"("}]})")
         + codex_record(second,
                        "event_msg",
                        R"({"type":"token_count","info":{"total_token_usage":{"input_tokens":)"
                            + std::to_string(total) + R"(,"output_tokens":)"
                            + std::to_string(total / 10) + "}}}");
}

inline std::string fork_of_codex() {
  return codex_record(0,
                      "session_meta",
                      R"({"id":")" + k_fork + R"(","forked_from_id":")" + k_parent + R"("})")
         + codex_record(0, "session_meta", R"({"id":")" + k_parent + R"("})")
         + codex_turn(0, k_old_turn, "one", 100) + codex_turn(0, k_older_turn, "two", 200)
         + codex_turn(9, k_new_turn, "three", 350);
}

} // namespace upskill::tests
