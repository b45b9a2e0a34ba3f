#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace upskill::mcp {

// Collects the answers of batches (JSON-RPC 2.0, section 6; of MCP only 2025-03-26), each of which
// is one line that can only be written when its last call is answered. Owned by a session; there
// are never more batches than calls in flight.
class Batches {
public:
  using Id = std::uint32_t; // 0: not in a batch

  // A batch counts as one open answer until its messages have all been looked at: call done then.
  Id open() {
    m_batches[++m_last].remaining = 1;
    return m_last;
  }

  void expect(Id id) { ++m_batches[id].remaining; }

  // Adds a written message, a line, to its batch.
  void add(Id id, std::string_view line) {
    std::string& answers = m_batches[id].answers;
    answers += answers.empty() ? "[" : ",";
    answers += line.substr(0, line.size() - 1);
  }

  // One expected answer is there, or will never come. Writes the batch when it was the last.
  void done(Id id, std::string& output) {
    auto found = m_batches.find(id);
    if (found == m_batches.end() || --found->second.remaining > 0) {
      return;
    }
    if (!found->second.answers.empty()) {
      output += found->second.answers;
      output += "]\n";
    }
    m_batches.erase(found);
  }

private:
  struct Batch {
    std::size_t remaining = 0;
    std::string answers = {};
  };

  std::map<Id, Batch> m_batches = {};
  Id m_last = 0;
};

} // namespace upskill::mcp
