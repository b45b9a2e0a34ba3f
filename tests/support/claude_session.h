#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::tests {

// Writes a session as Claude Code does: one line for each thing that happened, a second after the
// one before. Texts are given as they are.
class ClaudeSession {
public:
  std::string bytes = {};

  // `lines`: that were written before, so that one that is gone on with has ids of its own.
  explicit ClaudeSession(std::string session = "s1", std::uint64_t lines = 0)
      : m_session(std::move(session))
      , m_count(lines) {}

  // All give the offset of their line.
  std::uint64_t prompt(std::string_view text, std::string_view marks = "") {
    return user(quoted(text), marks);
  }

  std::uint64_t says(std::string_view text) {
    return assistant(R"({"type":"text","text":)" + quoted(text) + "}");
  }

  std::uint64_t thinks(std::string_view text) {
    return assistant(R"({"type":"thinking","thinking":)" + quoted(text) + R"(,"signature":"x"})");
  }

  std::uint64_t calls(std::string_view id, std::string_view tool, std::string_view input) {
    return assistant(R"({"type":"tool_use","id":")" + std::string(id) + R"(","name":")"
                     + std::string(tool) + R"(","input":)" + std::string(input) + "}");
  }

  std::uint64_t runs(std::string_view id, std::string_view command) {
    return calls(id, "Bash", R"({"command":)" + quoted(command) + "}");
  }

  std::uint64_t gives(std::string_view id, std::string_view output) {
    return result(id, output, "false");
  }

  std::uint64_t fails(std::string_view id, std::string_view output) {
    return result(id, output, "true");
  }

  std::uint64_t line(std::string_view rest) {
    std::uint64_t offset = bytes.size();
    ++m_count;
    bytes += R"({"parentUuid":null,"isSidechain":)" + std::string(is_sidechain ? "true" : "false")
             + R"(,"cwd":"/home/ada/app","sessionId":")" + m_session
             + R"(","version":"2.1.218","gitBranch":"main",)" + std::string(rest) + R"(,"uuid":"u)"
             + std::to_string(m_count) + R"(","timestamp":"2026-07-01T10:)" + two(m_count / 60 % 60)
             + ":" + two(m_count % 60) + ".000Z\"}\n";
    return offset;
  }

  static std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (char c : text) {
      if (static_cast<unsigned char>(c) < 0x20) {
        constexpr std::string_view digits = "0123456789abcdef";
        json += "\\u00";
        json += digits[static_cast<unsigned char>(c) / 16];
        json += digits[static_cast<unsigned char>(c) % 16];
      } else {
        json += c == '"' || c == '\\' ? "\\" : "";
        json += c;
      }
    }
    return json + "\"";
  }

  bool is_sidechain = false;

private:
  static std::string two(std::uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  }

  std::uint64_t user(const std::string& content, std::string_view marks) {
    return line(R"("type":"user","message":{"role":"user","content":)" + content + "}"
                + std::string(marks));
  }

  std::uint64_t assistant(const std::string& block) {
    return line(R"("type":"assistant","message":{"model":"claude-opus-4-6","id":"m)"
                + std::to_string(m_count) + R"(","role":"assistant","content":[)" + block
                + R"(],"usage":{"input_tokens":3,"output_tokens":8}},"requestId":"r")");
  }

  std::uint64_t result(std::string_view id, std::string_view output, std::string_view is_error) {
    return user(R"([{"type":"tool_result","tool_use_id":")" + std::string(id) + R"(","content":)"
                    + quoted(output) + R"(,"is_error":)" + std::string(is_error) + "}]",
                "");
  }

  std::string m_session;
  std::uint64_t m_count = 0;
};

} // namespace upskill::tests
