#include "daemon/session.h"
#include "daemon/sessions.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

// Taking over an agent's own input and output from a bridge, and what a daemon before us left.
namespace upskill::daemon {

void ClientSession::begin_handover() {
  if (m_handed_over.size() != k_handed_over) {
    refuse(
        {ErrorCode::invalid_argument,
         "a handover needs 3 descriptors, and " + std::to_string(m_handed_over.size()) + " came"});
    return;
  }
  Result<void> adopted = adopt(std::move(m_handed_over));
  m_handed_over.clear();
  if (!adopted) {
    refuse(adopted.error());
    return;
  }
  m_services.counters.at("handovers").fetch_add(1, std::memory_order_relaxed);
  tell_bridge(accepted_line(::getpid()));
  wait_control();
  restore();
}

Result<void> ClientSession::adopt(std::vector<UniqueFd> descriptors) {
  TRY_ASSIGN(UniqueFd input, without_blocking(std::move(descriptors[0]), O_RDONLY));
  TRY_ASSIGN(UniqueFd output, without_blocking(std::move(descriptors[1]), O_WRONLY));
  TRY_ASSIGN(Mapping mapping, Mapping::of_memfd(std::move(descriptors[2]), SessionMemory::k_size));
  TRY_ASSIGN(SessionMemory memory, SessionMemory::open(std::move(mapping)));
  mcp::Session protocol(*m_services.server, Audience::agents);
  if (!memory.recovered().state.empty()) {
    TRY_ASSIGN(
        protocol,
        mcp::Session::restore(*m_services.server, Audience::agents, memory.recovered().state));
  }
  boost::system::error_code failure;
  boost::asio::posix::stream_descriptor agent_input(m_services.io);
  agent_input.assign(input.get(), failure);
  if (failure) {
    return fail(system_error(failure.value(), "the agent's input cannot be waited for"));
  }
  input.release();
  m_output.assign(output.get(), failure);
  if (failure) {
    return fail(system_error(failure.value(), "the agent's output cannot be waited for"));
  }
  output.release();
  m_control = std::move(m_input);
  m_input = std::move(agent_input);
  m_memory = std::move(memory);
  m_conversation.replace(std::move(protocol), "agents", place_of_peer(m_control.native_handle()));
  m_is_agent = true;
  return {};
}

void ClientSession::restore() {
  std::string output;
  m_lost = m_memory.recovered().lost_ids;
  for (const std::string& id : m_lost) {
    protocol().answer_lost(id, output);
  }
  if (m_memory.recovered().restored) {
    m_services.log.info(
        "session {}: restored from before a restart, {} calls were lost", m_number, m_lost.size());
  } else {
    m_services.log.verbose("session {}: an agent was handed over", m_number);
  }
  if (!m_memory.pending().empty()) {
    wait_output();
  }
  send(output);
  record();
  process_input();
  m_lost.clear();
}

void ClientSession::refuse(const Error& error) {
  m_services.log.warning("session {}: handover refused: {}", m_number, error.message);
  std::string line = refused_line(error);
  boost::asio::posix::stream_descriptor& socket = m_is_agent ? m_control : m_input;
  // A fresh socket's buffer is empty, so one short line fits.
  (void)::send(socket.native_handle(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close("");
}

void ClientSession::wait_control() {
  if (m_waits_for_control || m_phase == Phase::closed) {
    return;
  }
  m_waits_for_control = true;
  ++m_waits;
  m_control.async_wait(asio::posix::descriptor_base::wait_read,
                       [this](const boost::system::error_code&) {
                         --m_waits;
                         m_waits_for_control = false;
                         on_control();
                       });
}

// A bridge says nothing after its first line; its end is the end of the session.
void ClientSession::on_control() {
  if (m_phase == Phase::closed) {
    changed();
    return;
  }
  std::array<char, 4096> ignored;
  ssize_t bytes = ::recv(m_control.native_handle(), ignored.data(), ignored.size(), MSG_DONTWAIT);
  if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR)) {
    close("");
    return;
  }
  wait_control();
}

void ClientSession::tell_bridge(std::string_view line) {
  if (m_is_agent && m_control.is_open()) {
    (void)::send(m_control.native_handle(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

void ClientSession::record() {
  (void)m_conversation.ids_have_changed();
  m_state_is_stale = false;
  if (m_is_agent) { // nobody keeps the memory of a socket
    m_memory.record(protocol().save(), m_conversation.client_ids());
  }
}

} // namespace upskill::daemon
