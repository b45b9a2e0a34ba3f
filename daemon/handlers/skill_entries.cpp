#include "daemon/handlers/skill_entries.h"

#include "daemon/await.h"
#include "daemon/handlers/skill_address.h"
#include "daemon/runtime/time_slice.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <chrono>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

// A page of skills that nobody has read before ends early: clients wait for no answer for ever.
constexpr std::chrono::seconds k_page_time(5);
constexpr std::size_t k_max_warned = 1000;

// As JSON, roughly: what stands round the parts of a file is `{"uri":"","digest":"","size":},`.
std::size_t json_bytes(const mcp::SkillEntry& entry) {
  constexpr std::size_t k_round_entry = 64;
  constexpr std::size_t k_round_file = 40;
  std::size_t sum = k_round_entry + entry.uri.size() + entry.front_matter.size();
  for (const mcp::SkillEntry::File& file : entry.files) {
    sum += k_round_file + file.uri.size() + file.digest.size();
  }
  return sum;
}

// A page that is being filled, skill by skill.
struct Filling {
  using Clock = std::chrono::steady_clock;

  const Catalogue& catalogue;
  SkillManifests& manifests;
  std::stop_token stopping;
  std::uint32_t next = 0; // row
  mcp::SkillPage page = {};
  std::size_t bytes = 0;
  bool is_done = false;
  std::vector<std::pair<std::string, Error>> left_out = {}; // over the limits
  Clock::time_point started = Clock::now();

  // Ends the page before the row `next`, which there must be one before.
  void end() {
    page.next_cursor = catalogue.cursor_after(next - 1);
    is_done = true;
  }

  void add_next() {
    const Catalogue::Row& row = catalogue.row(next);
    if (row.newest == Catalogue::k_none) {
      ++next;
      return;
    }
    Result<mcp::SkillEntry> entry = manifests.entry_of(catalogue, next, stopping);
    if (entry) {
      std::size_t more = json_bytes(*entry);
      if (!page.skills.empty() && bytes + more > k_mcp_skill_page_bytes) {
        end();
        return;
      }
      bytes += more;
      page.skills.push_back(std::move(*entry));
    } else if (entry.error().code == ErrorCode::too_large) {
      left_out.emplace_back(document_uri(catalogue, row), std::move(entry).error());
    }
    ++next;
  }

  // Whether something is left to be done.
  bool step() {
    if (next == catalogue.size()) {
      is_done = true;
    } else if (page.skills.size() == k_mcp_skill_page
               || (!page.skills.empty() && Clock::now() - started > k_page_time)) {
      end();
    } else {
      add_next();
    }
    return !is_done && !stopping.stop_requested();
  }
};

// What a host is told of a skill that it asks for and cannot have.
Error not_served(std::string_view uri, const Error& why) {
  std::string message = "no skill is served at `" + to_valid_utf8(utf8_prefix(uri, 256)) + "`";
  switch (why.code) {
  case ErrorCode::unsupported:
  case ErrorCode::too_large:
    return {ErrorCode::not_found, message + ", because " + why.message, why.hint};
  case ErrorCode::not_found:
  case ErrorCode::refused:
  case ErrorCode::permission:
    return {ErrorCode::not_found, std::move(message), "`skills/list` has those that are"};
  default:
    return why;
  }
}

tl::unexpected<Error> cancelled() {
  return fail(ErrorCode::cancelled, "the call was cancelled");
}

} // namespace

asio::awaitable<Result<mcp::SkillPage>> SkillEntries::list(std::string cursor,
                                                           RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  CO_TRY_ASSIGN(std::uint32_t from, (*catalogue)->row_after(cursor));
  Filling filling{**catalogue, m_manifests, context.stopping, from};
  auto step = [&filling] { return filling.step(); };
  bool is_left = true;
  while (is_left) {
    AWAIT(is_left, runtime::offload_slice(m_library.pool(context), step));
    if (context.stopping.stop_requested()) {
      co_return cancelled();
    }
  }
  for (const auto& [skill, why] : filling.left_out) {
    warn_once(skill, why);
  }
  co_return std::move(filling.page);
}

asio::awaitable<Result<mcp::SkillEntry>> SkillEntries::get(std::string uri,
                                                           RequestContext context) {
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_library.catalogue(context.stopping));
  CO_TRY(catalogue);
  Result<SkillAddress> address = find_file_address(**catalogue, uri);
  // The address is the skill's identity, so another spelling of it is another's.
  if (!address || document_uri(**catalogue, (*catalogue)->row(address->row)) != uri) {
    co_return fail(not_served(uri, {ErrorCode::not_found, {}}));
  }
  auto read = [&] { return m_manifests.entry_of(**catalogue, address->row, context.stopping); };
  AWAIT(Result<mcp::SkillEntry> entry, runtime::offload(m_library.pool(context), std::move(read)));
  if (!entry) {
    co_return fail(not_served(uri, entry.error()));
  }
  co_return entry;
}

// Once, because lists are asked for again and again.
void SkillEntries::warn_once(const std::string& skill, const Error& why) {
  if (m_warned.size() < k_max_warned && m_warned.insert(skill).second) {
    m_library.service().context().log.warning(
        "`{}` is not offered to hosts of skills: {}", skill, why.message);
  }
}

} // namespace upskill::daemon
