#include "clients/mcp/handover.h"

#include "clients/connect/text_reader.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace upskill::mcp {
namespace {

constexpr std::string_view k_line =
    "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/handover\",\"params\":{\"version\":1}}\n";

std::string text_member(const std::optional<connect::TextReader>& value, std::string_view name) {
  auto member = value ? value->member(name) : std::nullopt;
  return member ? member->string().value_or("") : std::string();
}

} // namespace

Result<void> send_handover(int socket, const std::array<int, 3>& descriptors) {
  iovec piece{const_cast<char*>(k_line.data()), k_line.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  // A fresh socket's buffer takes the line whole.
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != static_cast<ssize_t>(k_line.size())) {
    return fail(system_error(sent < 0 ? errno : EAGAIN, "handing stdio to the daemon"));
  }
  return {};
}

Notice read_notice(std::string_view line) {
  Notice notice;
  auto message = connect::TextReader::open(line, "the daemon's notice");
  if (!message) {
    return notice;
  }
  std::string method = text_member(*message, "method");
  if (method == "upskill/accepted") {
    notice.word = Word::accepted;
  } else if (method == "upskill/refused") {
    notice.word = Word::refused;
    auto params = message->member("params");
    notice.message = text_member(params, "message");
    notice.hint = text_member(params, "hint");
  } else if (method == "upskill/ended") {
    notice.word = Word::ended;
  } else if (method == "upskill/stopping") {
    notice.word = Word::stopping;
  }
  return notice;
}

Result<int> make_session_memory() {
  int memory = ::memfd_create("upskill-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) {
    return fail(system_error(errno, "memory for the session"));
  }
  return memory;
}

} // namespace upskill::mcp
