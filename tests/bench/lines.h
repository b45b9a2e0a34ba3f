#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::bench {

// Lines over a pair of descriptors (the same one twice for a socket), the way an agent does it:
// blocking, with nothing in between.
class Lines {
public:
  Lines(int in, int out)
      : m_in(in)
      , m_out(out) {}

  void send(std::string_view bytes) const;
  // The next line without its newline; valid until the next call.
  std::string_view receive();
  std::string_view call(std::string_view line);

private:
  int m_in;  // written to
  int m_out; // read from
  std::string m_buffer = {};
  std::size_t m_taken = 0;
};

// Microseconds of `count` calls, one after the other, after some that do not count.
std::vector<double> round_trips(Lines& lines, const std::string& request, std::size_t count);

// Calls a second with `in_flight` requests on their way at any time: the given ones, in turn.
double throughput(Lines& lines,
                  const std::vector<std::string>& requests,
                  std::size_t in_flight,
                  std::size_t count);

struct ToolCall {
  std::size_t id = 1;
  std::string arguments = "{}";
  std::size_t padding = 0; // bytes that are added where a client may put what it likes
};

// `tools/call` in the revision of 2026-07-28, newline included.
std::string tool_call(std::string_view tool, const ToolCall& call = {});
std::string status_call(std::size_t padding = 0);
// The same of the session revisions, and what opens a session (answered with one line).
std::string session_call(std::string_view tool);
std::string session_hello();

} // namespace upskill::bench
