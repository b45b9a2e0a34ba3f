#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Where hooks leave their events for the daemon, and how much may lie there (README.md).
namespace upskill::hook {

inline constexpr const char* k_live_segment = "events.log";      // hooks append to it
inline constexpr const char* k_sealed_segment = "events.sealed"; // the daemon reads it to its end
inline constexpr const char* k_dropped_file = "dropped";         // a byte for each event left out

// The live segment takes no more; with the sealed one, the spool stays below 64 MiB.
inline constexpr std::uint64_t k_max_segment = 31u << 20;
// A live segment of so many bytes is sealed once it was read.
inline constexpr std::uint64_t k_seal_at = 256u << 10;
inline constexpr std::uint64_t k_max_dropped = 1u << 20; // counted

inline std::string spool_folder(std::string_view state) {
  return std::string(state) + "/spool";
}

} // namespace upskill::hook
