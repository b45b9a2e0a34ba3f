#include "daemon/session.h"
#include "daemon/sessions.h"
#include "protocol/base/mcp_bounds.h"

#include <algorithm>

// What its calls have to say, on its way to the client.
namespace upskill::daemon {

void ClientSession::say(mcp::CallId, std::string_view bytes) {
  send(bytes);
  if (!m_conversation.protocol().asking_ids().empty()) {
    m_sessions.wants_tick(); // an answer is not waited for without limit
  }
}

void ClientSession::finish(mcp::CallId, std::string_view bytes) {
  Next next = write_or_keep(bytes);
  record();
  if (next == Next::write) {
    write_pending();
  }
  if (bytes.size() > k_max_unread / 64) {
    m_is_large = true;
    m_sessions.wants_tick();
  }
  close_when_drained();
  changed();
}

bool ClientSession::has_room(mcp::CallId) const {
  return !is_backed_up();
}

void ClientSession::task_ended() {
  changed();
}

// A call that was running when a daemon before us died: it is answered, but not run again.
void ClientSession::forget_call(const mcp::Call& call, std::string& output) {
  if (std::find(m_lost.begin(), m_lost.end(), call.client_id) == m_lost.end()) {
    protocol().answer_lost(call.client_id, output);
  }
  std::string nobody_reads_this;
  protocol().answer(call.id, fail(ErrorCode::cancelled, "lost"), nobody_reads_this);
}

} // namespace upskill::daemon
