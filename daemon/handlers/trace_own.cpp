#include "daemon/handlers/trace_own.h"

#include "daemon/await.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"
#include "skills/trace/event.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

// Claude Code, which tells the use of a tool and not its session.
constexpr std::string_view k_tells_its_call = "claude-code";
constexpr std::string_view k_tells_its_session = "codex";
constexpr std::size_t k_newest = 20;          // sessions in which a tool's use is looked for
constexpr std::size_t k_looked_at = 1u << 20; // bytes at the end of each
// What was said longer ago is not what calls now: a model thinks, and a person allows a tool.
constexpr std::int64_t k_at_work_ms = std::int64_t{10} * 60 * 1000;
constexpr auto k_longest_wait = std::chrono::seconds(2);
constexpr auto k_look_again = std::chrono::milliseconds(100);

// Reads the end of a session.
Result<void> read_end(archive::Archive& archive,
                      const store::SessionRow& row,
                      trace::EventSink& sink,
                      const std::stop_token& stop) {
  // From the end alone a record begins anywhere; what is torn is passed over.
  auto size = static_cast<std::uint64_t>(row.text_size);
  std::uint64_t from = size > k_looked_at ? size - k_looked_at : 0;
  TRY(archive.read(row, from, sink, stop));
  return {};
}

// Looks for the call of a tool.
class FindCall : public trace::EventSink {
public:
  explicit FindCall(const std::string& call)
      : m_call(call) {}

  void take(const trace::Event& event) override { is_there = is_there || event.call == m_call; }

  bool is_there = false;

private:
  const std::string& m_call;
};

// Looks for calls of those of our tools that ask for the caller's session, which have no result
// yet.
class FindOpenCall : public trace::EventSink {
public:
  // Calls of before `since_ms` (Unix time) were given up.
  explicit FindOpenCall(std::int64_t since_ms)
      : m_since_ms(since_ms) {}

  void take(const trace::Event& event) override {
    const bool is_old = event.envelope->time_ms && *event.envelope->time_ms < m_since_ms;
    if (event.kind == trace::EventKind::tool_call && !is_old && is_ours(event.name)) {
      m_open.emplace(event.call);
    } else if (event.kind == trace::EventKind::tool_result) {
      m_open.erase(std::string(event.call));
    }
  }

  bool is_there() const { return !m_open.empty(); }

private:
  // Each agent puts the server's name before it, in its own way (facts: mcp.md, clients).
  static bool is_ours(std::string_view name) {
    constexpr std::array<std::string_view, 3> k_ours = {
        k_trace_read.name, k_skill_generate.name, k_job.name};
    return name.find("upskill") != std::string_view::npos
           && std::ranges::any_of(k_ours,
                                  [&](std::string_view one) { return name.ends_with(one); });
  }

  std::int64_t m_since_ms;
  std::set<std::string> m_open = {};
};

// Claude Code tells no session, but which use of a tool this is: the session that holds it.
Result<store::SessionRow>
find_by_tool_use(archive::Archive& archive, const std::string& call, const std::stop_token& stop) {
  store::SessionFilter filter;
  filter.harness = k_tells_its_call;
  TRY_ASSIGN(std::vector<store::SessionRow> rows,
             archive.store().list(filter, std::nullopt, k_newest));
  for (const store::SessionRow& row : rows) {
    FindCall find(call);
    TRY(read_end(archive, row, find, stop));
    if (find.is_there) {
      return row;
    }
  }
  return fail(ErrorCode::not_found, "no session that is kept holds this call");
}

// Whether the agent's command has the name of a harness's program as a part of a path or a word.
bool is_command_of(std::string_view command, std::string_view harness) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> k_others = {
      {{"gemini-cli", "gemini"}, {"github-copilot", "copilot"}}};
  auto other = std::ranges::find(k_others, harness, [](const auto& one) { return one.first; });
  const std::string_view program = other == k_others.end() ? harness : other->second;
  auto is_word = [&](std::size_t at) {
    return at >= command.size() || std::isalnum(static_cast<unsigned char>(command[at])) == 0;
  };
  for (std::size_t at = command.find(program); at != std::string_view::npos;
       at = command.find(program, at + 1)) {
    if ((at == 0 || is_word(at - 1)) && is_word(at + program.size())) {
      return true;
    }
  }
  return false;
}

// A session that was over before the agent began is another's, and so is one of an agent that
// tells. One of another program counts only where it waits for us.
Result<store::SessionRow> find_by_place(archive::Archive& archive,
                                        const AgentPlace& place,
                                        std::int64_t since_ms,
                                        const std::stop_token& stop) {
  store::SessionFilter filter;
  filter.project = place.folder;
  filter.since_ms = std::max(since_ms, place.began_ms);
  TRY_ASSIGN(std::vector<store::SessionRow> rows,
             archive.store().list(filter, std::nullopt, k_newest));
  std::erase_if(rows, [&](const store::SessionRow& row) {
    return row.project != place.folder || row.harness == k_tells_its_call
           || row.harness == k_tells_its_session
           || !row.agent.empty(); // a helper is in its agent's session
  });
  auto is_other = [&](const store::SessionRow& row) {
    return !is_command_of(place.command, row.harness);
  };
  const bool is_program_known = !std::ranges::all_of(rows, is_other);
  if (is_program_known) {
    std::erase_if(rows, is_other);
  }
  if (rows.size() == 1 && is_program_known) {
    return std::move(rows.front());
  }
  std::vector<store::SessionRow> waiting;
  for (const store::SessionRow& row : rows) {
    FindOpenCall find(place.began_ms);
    TRY(read_end(archive, row, find, stop));
    if (find.is_there()) {
      waiting.push_back(row);
    }
  }
  if (waiting.size() == 1) {
    return std::move(waiting.front());
  }
  if (waiting.empty() && !is_program_known) {
    return fail(ErrorCode::not_found, "no session that is kept waits for us in this folder");
  }
  std::string ids;
  for (const store::SessionRow& row : waiting.empty() ? rows : waiting) {
    ids += (ids.empty() ? "" : ", ") + in_backticks(row.session);
  }
  return fail(ErrorCode::invalid_argument,
              "params.id: several sessions are at work in this folder",
              "name yours: " + ids);
}

} // namespace

Result<store::SessionRow>
find_own(archive::Archive& archive, const RequestContext& context, std::int64_t now_ms) {
  constexpr std::string_view k_hint =
      "name a session by its id; trace_list has them. Sessions are kept where `upskill trace "
      "capture on` was said, or by `upskill trace import`";
  const mcp::Origin& origin = context.origin;
  if (origin.empty() && context.place.folder.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.id: your client does not tell which session you are in",
                std::string(k_hint));
  }
  Result<store::SessionRow> row =
      !origin.session.empty() ? archive.store().find_named(origin.session)
      : !origin.tool_use.empty()
          ? find_by_tool_use(archive, origin.tool_use, context.stopping)
          : find_by_place(archive, context.place, now_ms - k_at_work_ms, context.stopping);
  if (!row && row.error().code == ErrorCode::not_found) {
    return fail(
        ErrorCode::not_found, "params.id: your own session is not kept", std::string(k_hint));
  }
  return row;
}

// Agents write what they do a moment later: Claude Code after 100 ms, Gemini CLI only what has
// ended.
asio::awaitable<Result<store::SessionRow>> wait_for_own(capture::Desk& desk,
                                                        const RequestContext& context) {
  auto find = [&](archive::Archive& archive) { return find_own(archive, context, desk.now_ms()); };
  const std::string agent(context.origin.tool_use.empty() ? "" : k_tells_its_call);
  const capture::Clock::time_point end = capture::Clock::now() + k_longest_wait;
  // Who is known by its place could be taken for the one that was there before.
  Result<store::SessionRow> row = fail(ErrorCode::not_found, "it was not looked for yet");
  if (!context.origin.empty() || !desk.is_following()) {
    AWAIT(row, desk.with(find));
  }
  // Of several, the one that has written its call a moment later is it.
  auto is_awaited = [&] {
    return !row
           && (row.error().code == ErrorCode::not_found
               || (context.origin.empty() && !context.place.folder.empty()));
  };
  while (desk.is_following() && is_awaited()) {
    AWAIT_DONE(desk.read_newest(agent));
    AWAIT(row, desk.with(find));
    if (!is_awaited() || capture::Clock::now() >= end) {
      break;
    }
    AWAIT_DONE(runtime::wait_for(k_look_again));
  }
  co_return row;
}

} // namespace upskill::daemon
