#include "daemon/handlers/trace_own.h"

#include "skills/trace/event.h"

#include <string>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_newest = 20;          // sessions in which a tool's use is looked for
constexpr std::size_t k_looked_at = 1u << 20; // bytes at the end of each

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

// Claude Code tells no session, but which use of a tool this is: the session that holds it.
Result<store::SessionRow>
find_by_tool_use(archive::Archive& archive, const std::string& call, const std::stop_token& stop) {
  store::SessionFilter filter;
  filter.harness = k_tells_its_call;
  TRY_ASSIGN(std::vector<store::SessionRow> rows,
             archive.store().list(filter, std::nullopt, k_newest));
  for (const store::SessionRow& row : rows) {
    FindCall find(call);
    // From the end alone a record begins anywhere; what is torn is passed over.
    auto size = static_cast<std::uint64_t>(row.text_size);
    std::uint64_t from = size > k_looked_at ? size - k_looked_at : 0;
    TRY(archive.read(row, from, find, stop));
    if (find.is_there) {
      return row;
    }
  }
  return fail(ErrorCode::not_found, "no session that is kept holds this call");
}

} // namespace

Result<store::SessionRow>
find_own(archive::Archive& archive, const mcp::Origin& origin, const std::stop_token& stop) {
  constexpr std::string_view k_hint =
      "name a session by its id; trace_list has them. Sessions are kept where `upskill trace "
      "capture on` was said, or by `upskill trace import`";
  if (origin.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.id: your client does not tell which session you are in",
                std::string(k_hint));
  }
  Result<store::SessionRow> row = origin.session.empty()
                                      ? find_by_tool_use(archive, origin.tool_use, stop)
                                      : archive.store().find_named(origin.session);
  if (!row && row.error().code == ErrorCode::not_found) {
    return fail(
        ErrorCode::not_found, "params.id: your own session is not kept", std::string(k_hint));
  }
  return row;
}

} // namespace upskill::daemon
