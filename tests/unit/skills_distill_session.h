#pragma once
#include "skills/distill/distiller.h"
#include "skills/trace/parser.h"
#include "tests/support/claude_session.h"

#include <string_view>

namespace upskill::tests {

inline void distill_into(distill::Distiller& distiller,
                         std::string_view bytes,
                         trace::Format format = trace::Format::claude) {
  trace::TraceParser parser(format);
  parser.take(bytes, distiller);
  parser.finish(distiller);
}

inline distill::Distilled distilled(const ClaudeSession& session,
                                    const distill::DistillOptions& options = {}) {
  distill::Distiller distiller(trace::Format::claude);
  distill_into(distiller, session.bytes);
  return distiller.distilled(options);
}

inline std::uint64_t left_out(const distill::Distilled& result, distill::LeftOut why) {
  return result.left_out[static_cast<std::size_t>(why)];
}

inline bool has(const distill::Beat& beat, distill::Label label) {
  return beat.labels[static_cast<std::size_t>(label)];
}

// Every event is either in the text or counted with the reason why it is not.
inline bool adds_up(const distill::Distilled& result) {
  std::uint64_t sum = result.kept;
  for (std::uint64_t count : result.left_out) {
    sum += count;
  }
  return sum == result.events;
}

} // namespace upskill::tests
