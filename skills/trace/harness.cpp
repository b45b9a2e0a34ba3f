#include "skills/trace/harness.h"

namespace upskill::trace {

std::string_view harness_of(Format format) {
  switch (format) {
  case Format::claude:
    return "claude-code";
  case Format::codex:
    return "codex";
  case Format::gemini:
  case Format::gemini_document:
    return "gemini-cli";
  case Format::opencode:
  case Format::opencode_database:
    return "opencode";
  case Format::copilot:
    return "github-copilot";
  case Format::cursor:
    return "cursor";
  case Format::pi:
    return "pi";
  case Format::fast_agent:
    return "fast-agent";
  case Format::specstory:
  case Format::markdown:
  case Format::sts:
  case Format::atif:
  case Format::json:
  case Format::text:
    return {};
  }
  return {};
}

} // namespace upskill::trace
