#pragma once
#include "skills/trace/event.h"
#include "skills/trace/format.h"
#include "skills/trace/text_filter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::distill {

// Whose session it is. Bounded, and its title cleaned.
struct Heading {
  std::string harness = {};
  std::string session = {};
  std::string agent = {}; // the helper whose own file this is
  std::string cwd = {};
  std::string branch = {};
  std::string version = {};
  std::string title = {};
  std::vector<std::string> models = {};
  std::optional<std::int64_t> first_ms = {}; // Unix time
  std::optional<std::int64_t> last_ms = {};
  bool is_helper = false;

  explicit Heading(trace::Format format);
  void take(const trace::Envelope& envelope);
  void take_model(std::string_view model);
  void take_title(const trace::Text& text, trace::TextFilter* filter);
};

} // namespace upskill::distill
