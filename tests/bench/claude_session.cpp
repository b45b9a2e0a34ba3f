#include "tests/bench/claude_session.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace upskill::bench {
namespace {

constexpr std::array<std::string_view, 40> k_words{
    "the",    "kernel", "build",  "fails",    "because", "of",    "a",      "missing",
    "header", "in",     "shared", "memory",   "so",      "we",    "should", "first",
    "look",   "at",     "what",   "nvcc",     "says",    "about", "tile",   "size",
    "then",   "run",    "tests",  "again",    "and",     "see",   "if",     "output",
    "is",     "right",  "before", "changing", "blocks",  "per",   "grid",   "please"};

constexpr std::array<std::string_view, 12> k_lines{
    R"(#include <cuda_runtime.h>\n)",
    R"(__global__ void gemm(const float* a, const float* b, float* c, int n) {\n)",
    R"(\tint row = blockIdx.y * blockDim.y + threadIdx.y;\n)",
    R"(\tif (row < n && col < n) {\n)",
    R"(\t\tprintf(\"%d %f\\n\", row, sum);\n)",
    R"(    12\u2192  static constexpr int k_tile = 32;\n)",
    R"(-- Building CXX object src/CMakeFiles/kernels.dir/gemm.cpp.o\n)",
    R"(/home/ada/kernels/src/gemm.cu(41): warning #177-D: variable \"x\" was declared\n)",
    R"(}\n\n)",
    R"(100% tests passed, 0 tests failed out of 24\n)",
    R"(diff --git a/src/gemm.cu b/src/gemm.cu\n)",
    R"(drwxr-xr-x 2 ada ada 4096 Jul  1 10:00 src\n)"};

} // namespace

ClaudeSession::ClaudeSession(std::uint64_t seed, std::string session)
    : m_random(seed)
    , m_session(std::move(session)) {}

void ClaudeSession::append(std::string& out, std::size_t size) {
  std::size_t until = out.size() + size;
  while (out.size() < until) {
    turn(out);
  }
}

void ClaudeSession::begin(std::string& out, const char* type) {
  fmt::format_to(
      std::back_inserter(out),
      R"({{"parentUuid":"{:08x}-0000-4000-8000-{:012x}","isSidechain":false,"userType":"external",)"
      R"("cwd":"/home/ada/kernels","sessionId":"{}","version":"2.1.218","gitBranch":"main",)"
      R"("type":"{}",)",
      m_record,
      m_record,
      m_session,
      type);
}

void ClaudeSession::end(std::string& out) {
  ++m_record;
  m_time = (m_time + 3) % 86'400;
  fmt::format_to(
      std::back_inserter(out),
      R"(,"uuid":"{:08x}-0000-4000-8000-{:012x}","timestamp":"2026-07-01T{:02}:{:02}:{:02}.{:03}Z"}})"
      "\n",
      m_record,
      m_record,
      m_time / 3600,
      m_time / 60 % 60,
      m_time % 60,
      below(1000));
}

void ClaudeSession::turn(std::string& out) {
  prompt(out);
  for (std::size_t calls = 2 + below(12); calls > 0; --calls) {
    answer(out, true);
    for (std::size_t i = below(3); i > 0; --i) {
      progress(out);
    }
    result(out);
    if (below(8) == 0) {
      attachment(out);
    }
  }
  answer(out, false);
}

void ClaudeSession::prompt(std::string& out) {
  begin(out, "user");
  out += R"("message":{"role":"user","content":")";
  words(out, 60 + below(500));
  out += R"("},"origin":{"kind":"human"},"promptId":"p)" + std::to_string(m_record) + "\"";
  end(out);
}

void ClaudeSession::answer(std::string& out, bool has_call) {
  begin(out, "assistant");
  fmt::format_to(std::back_inserter(out),
                 R"("message":{{"model":"claude-opus-4-6","id":"msg_{}","type":"message",)"
                 R"("role":"assistant","content":[)",
                 m_record);
  if (!has_call) {
    out += R"({"type":"text","text":")";
    words(out, 150 + below(1200));
    out += "\"}";
  } else if (below(3) == 0) {
    out += R"({"type":"thinking","thinking":")";
    words(out, below(600));
    out += R"(","signature":")" + std::string(300 + below(1200), 'E') + "\"}";
  } else {
    fmt::format_to(std::back_inserter(out),
                   R"({{"type":"tool_use","id":"toolu_{}","name":"{}","input":{{)",
                   ++m_call,
                   below(2) == 0 ? "Bash" : "Edit");
    out += R"("command":")";
    code(out, 60 + below(600));
    out += R"(","description":"Build the kernels"}})";
  }
  fmt::format_to(
      std::back_inserter(out),
      R"(],"stop_reason":null,"usage":{{"input_tokens":{},"cache_creation_input_tokens":{},)"
      R"("cache_read_input_tokens":{},"output_tokens":{},"service_tier":"standard"}}}},)"
      R"("requestId":"req_{}")",
      below(20),
      below(4000),
      below(90'000),
      below(900),
      m_record);
  end(out);
}

void ClaudeSession::result(std::string& out) {
  begin(out, "user");
  bool is_error = below(12) == 0;
  std::string output = is_error ? R"(Exit code 2\n)" : "";
  code(output, 100 + below(5000));
  fmt::format_to(std::back_inserter(out),
                 R"("message":{{"role":"user","content":[{{"tool_use_id":"toolu_{}",)"
                 R"("type":"tool_result","content":")",
                 m_call);
  out += output;
  out += is_error ? R"(","is_error":true}]},)" : R"("}]},)";
  out += R"("toolUseResult":{"stdout":")" + output;
  code(out, output.size());
  out += R"(","stderr":"","interrupted":false,"isImage":false})";
  end(out);
}

void ClaudeSession::progress(std::string& out) {
  begin(out, "progress");
  out += R"("data":{"type":"bash_progress","output":")";
  code(out, below(3000));
  out += R"(","elapsedTimeSeconds":3,"totalLines":12})";
  end(out);
}

void ClaudeSession::attachment(std::string& out) {
  begin(out, "attachment");
  out += R"("attachment":{"type":"hook_success","hookName":"PostToolUse:Bash","content":")";
  words(out, below(1500));
  out += "\"}";
  end(out);
}

void ClaudeSession::words(std::string& out, std::size_t size) {
  std::size_t until = out.size() + size;
  while (out.size() < until) {
    out += k_words[below(k_words.size())];
    out += below(14) == 0 ? ".\\n" : " ";
  }
}

void ClaudeSession::code(std::string& out, std::size_t size) {
  std::size_t until = out.size() + size;
  while (out.size() < until) {
    out += k_lines[below(k_lines.size())];
  }
}

} // namespace upskill::bench
