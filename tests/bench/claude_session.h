#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace upskill::bench {

// Sessions as Claude Code writes them, made up: records of the kinds, shares and sizes of the facts
// (traces.md, 1.1: tool results with a second, richer copy beside them, progress, attachments,
// little that a person typed), with ids that never repeat. The same seed makes the same bytes.
class ClaudeSession {
public:
  explicit ClaudeSession(std::uint64_t seed,
                         std::string session = "5d0c7a52-0000-4000-8000-000000000001");

  // At least `size` bytes more, whole lines.
  void append(std::string& out, std::size_t size);

private:
  void begin(std::string& out, const char* type);
  void end(std::string& out);
  void turn(std::string& out);
  void prompt(std::string& out);
  void answer(std::string& out, bool has_call);
  void result(std::string& out);
  void progress(std::string& out);
  void attachment(std::string& out);
  void words(std::string& out, std::size_t size);
  void code(std::string& out, std::size_t size); // with the escapes of JSON

  std::size_t below(std::size_t bound) { return m_random() % bound; }

  std::mt19937_64 m_random;
  std::string m_session;
  std::uint64_t m_record = 0;
  std::uint64_t m_call = 0;
  std::int64_t m_time = 0; // seconds of a day
};

} // namespace upskill::bench
