#include "tests/bench/lines.h"

#include "tests/bench/bench.h"
#include "tests/bench/measure.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace upskill::bench {

void Lines::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t written = ::write(m_in, bytes.data(), bytes.size());
    require(written > 0, "the other side does not read any more");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string_view Lines::receive() {
  std::size_t looked = m_taken;
  for (;;) {
    std::size_t newline = m_buffer.find('\n', looked);
    if (newline != std::string::npos) {
      std::string_view line(m_buffer.data() + m_taken, newline - m_taken);
      m_taken = newline + 1;
      return line;
    }
    m_buffer.erase(0, m_taken);
    m_taken = 0;
    looked = m_buffer.size();
    m_buffer.resize(looked + 65536);
    ssize_t got = ::read(m_out, m_buffer.data() + looked, 65536);
    require(got > 0, "the other side has ended");
    m_buffer.resize(looked + static_cast<std::size_t>(got));
  }
}

std::string_view Lines::call(std::string_view line) {
  send(line);
  return receive();
}

std::vector<double> round_trips(Lines& lines, const std::string& request, std::size_t count) {
  return time_calls(count, [&] { lines.call(request); });
}

double throughput(Lines& lines,
                  const std::vector<std::string>& requests,
                  std::size_t in_flight,
                  std::size_t count) {
  std::int64_t begin = now_ns();
  for (std::size_t sent = 0; sent < count + in_flight; ++sent) {
    if (sent >= in_flight) {
      lines.receive();
    }
    if (sent < count) {
      lines.send(requests[sent % requests.size()]);
    }
  }
  return static_cast<double>(count) * 1e9 / static_cast<double>(now_ns() - begin);
}

std::string tool_call(std::string_view tool, const ToolCall& call) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(call.id)
         + R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)"
         + call.arguments
         + R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{},)"
           R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"})"
         + (call.padding == 0 ? std::string()
                              : R"(,"bench/padding":")" + std::string(call.padding, 'x') + "\"")
         + "}}}\n";
}

std::string status_call(std::size_t padding) {
  return tool_call("status", {.padding = padding});
}

std::string session_call(std::string_view tool) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + std::string(tool)
         + R"(","arguments":{}}})" + "\n";
}

std::string session_hello() {
  return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
         R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
         "\n"
         R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
         "\n";
}

} // namespace upskill::bench
