#include "daemon/capture/capture_limits.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace upskill::capture {
namespace {

constexpr std::string_view k_days = "limit_days";
constexpr std::string_view k_megabytes = "limit_megabytes";
constexpr std::int64_t k_day_ms = 24LL * 3600 * 1000;
constexpr std::int64_t k_raw_bytes = 256LL << 20; // of sessions that are kept with their secrets

Result<void> read_number(store::TraceStore& store, std::string_view key, std::int64_t& number) {
  TRY_ASSIGN(std::optional<std::string> text, store.setting(key));
  if (text) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return {};
}

} // namespace

Result<CaptureLimits> read_limits(store::TraceStore& store) {
  CaptureLimits limits;
  TRY(read_number(store, k_days, limits.days));
  TRY(read_number(store, k_megabytes, limits.megabytes));
  // More would not fit in what is reckoned with, and mean the opposite.
  limits.days = std::clamp<std::int64_t>(limits.days, 0, k_most_days);
  limits.megabytes = std::clamp<std::int64_t>(limits.megabytes, 0, k_most_megabytes);
  return limits;
}

Result<void> write_limits(store::TraceStore& store, const CaptureLimits& limits) {
  TRY(store.set_setting(k_days, std::to_string(limits.days)));
  return store.set_setting(k_megabytes, std::to_string(limits.megabytes));
}

Result<std::size_t>
apply_limits(archive::Archive& archive, const CaptureLimits& limits, std::int64_t now_ms) {
  store::TraceLimits over;
  if (limits.days > 0) {
    over.before_ms = now_ms - limits.days * k_day_ms;
  }
  over.bytes = limits.megabytes > 0 ? limits.megabytes << 20 : 0;
  over.raw_bytes = k_raw_bytes;
  std::size_t gone = 0;
  while (true) {
    TRY_ASSIGN(std::vector<store::RemovedSession> excess, archive.store().find_excess(over));
    for (const store::RemovedSession& session : excess) {
      TRY(archive.store().remove(session.id, now_ms));
      if (!session.object.empty()) {
        TRY(archive.objects().remove(session.object));
      }
      ++gone;
    }
    if (excess.empty()) {
      return gone;
    }
  }
}

} // namespace upskill::capture
