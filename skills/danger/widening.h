#pragma once
#include "protocol/base/result.h"
#include "skills/danger/finding.h"
#include "skills/danger/skill_file.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upskill::danger {

inline constexpr std::size_t k_most_gains = 200;

// What a skill may do or reach.
enum class CapabilityKind : std::uint8_t {
  hook,         // a command that runs by itself
  load_command, // !`command`, which runs when the skill is loaded
  tool,         // of `allowed-tools`: used without asking
  script,       // a program that comes with the skill
  host,         // that an address names
  command       // a program that its shell lines start
};

// Something that a newer version has and the older one had not.
struct Gain {
  CapabilityKind kind = CapabilityKind::command;
  Severity severity = Severity::note; // warning: it acts without anybody being asked
  std::string what = {};              // one line of at most 200 bytes
  std::string path = {};
  std::size_t line = 0; // 0: the file as a whole

  friend bool operator==(const Gain&, const Gain&) = default;
};

// What a version may do, to hold a later one against when its files are gone.
struct HeldCapability {
  CapabilityKind kind = CapabilityKind::command;
  std::string what = {};

  friend auto operator<=>(const HeldCapability&, const HeldCapability&) = default;
};

// Beyond it nothing can be said of what a later version gains.
inline constexpr std::size_t k_most_held = 2000;

struct Widening {
  std::vector<Gain> gains = {}; // by kind, in the order of the enum, then by what
  std::size_t left_out = 0;

  bool is_empty() const { return gains.empty(); }
};

// What `after` may do that `before` might not. Bounded as scan() is. An empty `before` makes
// everything a gain. An error is a bug of ours.
Result<Widening> widening(const SkillFiles& before, const SkillFiles& after);
Result<Widening> widening_of(const std::vector<HeldCapability>& before, const SkillFiles& after);

// All that it may do, each once, sorted. too_large for more than k_most_held.
Result<std::vector<HeldCapability>> held_capabilities(const SkillFiles& files);

} // namespace upskill::danger

template <> struct upskill::EnumNames<upskill::danger::CapabilityKind> {
  static constexpr std::array<std::string_view, 6> names{
      "hook", "load_command", "tool", "script", "host", "command"};
};
