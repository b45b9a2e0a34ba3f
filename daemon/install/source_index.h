#pragma once
#include "daemon/install/install_call.h"
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/types/danger.h"
#include "skills/install/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

// A skill that a source has, as it is remembered.
struct IndexedOffer {
  static constexpr bool k_lenient = true; // a newer version of ours may have added fields
  std::string skill = {};
  std::string description = {};
  std::string from = {};
  DangerSeverity danger = DangerSeverity::none;

  static void describe(auto& f) {
    f.required(&IndexedOffer::skill, "skill", "");
    f.optional(&IndexedOffer::description, "description", "");
    f.optional(&IndexedOffer::from, "from", "");
    f.optional(&IndexedOffer::danger, "danger", "");
  }
};

// What a source had when it was last looked at: a cache, which may go at any time.
struct SourceIndex {
  static constexpr bool k_lenient = true;
  std::string source = {}; // its words
  std::int64_t fetched_ms = 0;
  std::vector<IndexedOffer> skills = {};

  static void describe(auto& f) {
    f.required(&SourceIndex::source, "source", "");
    f.required(&SourceIndex::fetched_ms, "fetched_ms", "");
    f.required(&SourceIndex::skills, "skills", "");
  }
};

inline constexpr std::size_t k_most_of_a_source = 10'000;

// Who may see what was fetched: only those for whom it could be fetched likewise.
std::string viewers_of(const InstallCall& call);

// None where there is none that can be used. Blocks.
std::optional<SourceIndex>
read_source_index(const Places& places, const std::string& source, const std::string& viewers);
Result<void>
write_source_index(const Places& places, const SourceIndex& index, const std::string& viewers);

} // namespace upskill::daemon
