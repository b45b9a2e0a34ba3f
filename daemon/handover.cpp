#include "daemon/handover.h"

#include "protocol/codec/writer.h"
#include "protocol/rpc/simdjson_reader.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_version = 1;
constexpr std::string_view k_method = "upskill/handover";

struct Envelope {
  std::string method = {};
  std::int64_t version = 0;
};

Envelope read_envelope(JsonReader& message) {
  Envelope envelope;
  message.each_field([&](std::string_view key, JsonReader& value) {
    if (key == "method") {
      envelope.method = value.string().value_or("");
    } else if (key == "params") {
      value.each_field([&](std::string_view name, JsonReader& parameter) {
        if (name == "version") {
          envelope.version = parameter.integer().value_or(0);
        }
      });
    }
  });
  return envelope;
}

constexpr std::size_t k_max_command = 4096; // bytes that are looked at

// The fields of /proc/PID/stat behind the program's name, which is in parentheses and may hold any:
// the first is field 3 (proc(5)).
std::string_view fields_of(std::string_view stat) {
  std::size_t at = stat.rfind(')');
  return at == std::string_view::npos ? std::string_view() : stat.substr(at + 1);
}

// 0 where there is none.
std::int64_t field(std::string_view fields, int number) {
  for (int i = 3; i <= number && !fields.empty(); ++i) {
    fields.remove_prefix(std::min(fields.find(' '), fields.size() - 1) + 1);
  }
  std::int64_t value = 0;
  std::from_chars(fields.data(), fields.data() + fields.size(), value);
  return value;
}

// Unix time in ms at which a process began, of its start in ticks since the machine's.
std::int64_t start_of(std::int64_t ticks) {
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  const std::int64_t up_ms = std::int64_t{up.tv_sec} * 1000 + up.tv_nsec / 1'000'000;
  const std::int64_t ago_ms = up_ms - ticks * 1000 / ::sysconf(_SC_CLK_TCK);
  auto wall = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(wall).count() - ago_ms;
}

// What was read of it, also where it is longer.
std::string beginning_of(const std::string& path) {
  std::string bytes(k_max_command, '\0');
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t count = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return bytes;
}

} // namespace

Received receive_with_descriptors(int socket, std::span<char> room) {
  Received received;
  iovec place{room.data(), room.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(k_handed_over * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_LEN(k_handed_over * sizeof(int)); // not one more
  received.bytes = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (received.bytes < 0) {
    return received;
  }
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
      received.descriptors.emplace_back(descriptor);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0) {
    received.descriptors.clear();
  }
  return received;
}

Result<bool> is_handover(std::string_view line) {
  // Nearly every first line is something else, and is not worth parsing twice.
  if (line.size() > 4096 || line.find(k_method) == std::string_view::npos) {
    return false;
  }
  Envelope envelope;
  rpc::JsonParser parser;
  auto read = parser.read(
      line, "handover", [&](JsonReader& message) { envelope = read_envelope(message); });
  if (!read || envelope.method != k_method) {
    return false;
  }
  if (envelope.version != k_version) {
    return fail(ErrorCode::unsupported,
                "the bridge speaks version " + std::to_string(envelope.version)
                    + " of the handover, this daemon version " + std::to_string(k_version),
                "run `upskill daemon stop`, so that the installed daemon is started");
  }
  return true;
}

Result<UniqueFd> without_blocking(UniqueFd descriptor, int access_mode) {
  struct stat status {};

  if (::fstat(descriptor.get(), &status) != 0) {
    return fail(system_error(errno, "a descriptor of the handover cannot be used"));
  }
  if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) {
    return fail(ErrorCode::invalid_argument,
                "a descriptor of the handover is neither a pipe nor a socket",
                "relay it through a pipe");
  }
  if (S_ISFIFO(status.st_mode)) {
    std::string path = "/proc/self/fd/" + std::to_string(descriptor.get());
    UniqueFd own(::open(path.c_str(), access_mode | O_NONBLOCK | O_CLOEXEC));
    if (own) {
      return own;
    }
    if (errno == ENXIO) {
      return fail(system_error(errno, "the agent has closed its end of the pipe"));
    }
    // A pipe of another user's (sudo) cannot be opened by name; the flag it is, then.
  }
  int flags = ::fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return fail(system_error(errno, "a descriptor of the handover cannot be used"));
  }
  return descriptor;
}

AgentPlace place_of_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) {
    return {};
  }
  const std::string process = "/proc/" + std::to_string(peer.pid);
  AgentPlace place;
  place.folder.resize(PATH_MAX);
  const ssize_t length =
      ::readlink((process + "/cwd").c_str(), place.folder.data(), place.folder.size());
  place.folder.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  const std::string stat = beginning_of(process + "/stat");
  const std::string_view fields = fields_of(stat);
  place.began_ms = fields.empty() ? 0 : start_of(field(fields, 22));
  if (std::int64_t parent = field(fields, 4); parent > 1) {
    place.command = beginning_of("/proc/" + std::to_string(parent) + "/cmdline");
  }
  return place;
}

std::string accepted_line(pid_t pid) {
  return "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/accepted\",\"params\":{\"pid\":"
         + std::to_string(pid) + "}}\n";
}

std::string refused_line(const Error& error) {
  std::string line;
  JsonWriter writer(line);
  writer.begin_object();
  writer.field("jsonrpc", "2.0");
  writer.field("method", "upskill/refused");
  writer.key("params");
  writer.begin_object();
  writer.field("message", error.message);
  writer.field("hint", error.hint);
  writer.end_object();
  writer.end_object();
  line += '\n';
  return line;
}

} // namespace upskill::daemon
