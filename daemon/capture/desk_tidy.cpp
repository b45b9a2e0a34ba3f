#include "daemon/await.h"
#include "daemon/capture/capture_limits.h"
#include "daemon/capture/desk.h"
#include "daemon/capture/unnamed_objects.h"

namespace upskill::capture {
namespace {

constexpr std::int64_t k_raw_ms = 7LL * 24 * 3600 * 1000; // how long secrets are kept

} // namespace

// Whatever is captured: what was kept before has to be scanned with the rules that there are now.
Result<void> Desk::look_for_outdated() {
  const std::string& version = m_archive->rules().version();
  if (version == m_scanned_with) {
    return {};
  }
  TRY_ASSIGN(std::vector<store::SessionRow> outdated,
             m_archive->store().list_outdated(archive::k_reader_version, version, 0, 1));
  m_is_outdated = !outdated.empty();
  return {};
}

void Desk::tidy_soon() {
  m_is_tidy_due = true;
  if (!m_is_tidying && !m_is_stopping) {
    m_is_tidying = true;
    m_tasks.start(tidy_loop());
  }
}

asio::awaitable<void> Desk::tidy_loop() {
  struct Ending {
    bool& is_tidying;

    ~Ending() { is_tidying = false; }
  } ending{m_is_tidying};

  while (!m_is_stopping && std::exchange(m_is_tidy_due, false)) {
    AWAIT_DONE(tidy());
  }
}

// Whether it was done.
bool Desk::tell(const Result<archive::Repaired>& repaired) {
  if (!repaired && !m_problem && !m_is_stopping) { // else that has been told
    m_log.warning("traces: {}", repaired.error().message);
  }
  if (repaired) {
    for (const std::string& problem : repaired->problems) {
      m_log.warning("traces: {}", problem);
    }
  }
  return repaired.has_value();
}

// Whether words were taken out of what is searched. One session at a time, so that whoever waits
// for the archive waits for no more.
asio::awaitable<bool> Desk::repair() {
  std::int64_t after = 0;
  std::string version;
  bool is_any = false;
  bool is_more = true;
  while (is_more && !m_is_stopping) {
    auto scan = [&](archive::Archive& archive) {
      version = version.empty() ? archive.rules().version() : version;
      return archive.repair(after, 1, m_options.now_ms(), m_stop.get_token());
    };
    AWAIT(Result<archive::Repaired> repaired, with(std::move(scan)));
    if (!tell(repaired)) {
      co_return is_any;
    }
    is_more = repaired->sessions > 0;
    after = repaired->last;
    is_any = is_any || repaired->sessions > repaired->problems.size();
  }
  auto done = [&](archive::Archive&) -> Result<void> {
    m_scanned_with = version;
    return {};
  };
  if (!is_more) {
    AWAIT_DONE(with(std::move(done)));
  }
  co_return is_any;
}

// Rules that changed, secrets that were kept for a while, and what is too old or too much.
asio::awaitable<void> Desk::tidy() {
  m_day.set(Clock::now() + m_options.tidy_every);
  AWAIT(bool is_any, repair());
  auto clean = [&](archive::Archive& archive) {
    std::int64_t now_ms = m_options.now_ms();
    return archive.clean_raw(now_ms - k_raw_ms, now_ms, m_stop.get_token());
  };
  AWAIT(Result<archive::Repaired> cleaned, with(std::move(clean)));
  if (!tell(cleaned)) {
    co_return;
  }
  auto limit = [&](archive::Archive& archive) -> Result<std::size_t> {
    std::int64_t now_ms = m_options.now_ms();
    TRY_ASSIGN(CaptureLimits limits, read_limits(archive.store()));
    TRY_ASSIGN(std::size_t gone, apply_limits(archive, limits, now_ms));
    TRY(remove_unnamed(archive, m_options.objects, now_ms));
    if (is_any) {
      TRY(archive.store().compact());
    }
    return gone;
  };
  AWAIT(Result<std::size_t> gone, with(std::move(limit)));
  if (!gone) {
    m_log.warning("traces: {}", gone.error().message);
  } else if (*gone > 0) {
    m_log.info("traces: {} sessions were over the limits and are gone", *gone);
  }
}

} // namespace upskill::capture
