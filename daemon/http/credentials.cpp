#include "daemon/http/credentials.h"

#include "daemon/single_instance.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/unique_fd.h"
#include "protocol/codec/writer.h"
#include "protocol/http/token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace upskill::http {
namespace {

constexpr mode_t k_private = 0600;

// Empty unless the file holds a token that nobody else could read.
std::string read_token(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));

  struct stat status {};

  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)
      || status.st_uid != ::geteuid() || (status.st_mode & 0077) != 0) {
    return {};
  }
  std::array<char, k_token_size + 1> text{};
  ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) {
    return {};
  }
  std::string token(text.data(), static_cast<std::size_t>(size));
  if (token.ends_with('\n')) {
    token.pop_back();
  }
  return is_token(token) ? token : std::string();
}

} // namespace

Result<std::string> stable_token(const Places& places) {
  std::string path = join_path(places.state, "http.token");
  std::string token = read_token(path);
  if (token.empty()) {
    token = random_token();
    TRY(make_directories(places.state));
    TRY(write_file_atomically(path, token + "\n", k_private, Durability::process_crash));
  }
  return token;
}

std::string description_path(const Places& places) {
  return join_path(places.run(), "http.json");
}

Result<void> write_description(const Places& places, std::string_view url, std::string_view token) {
  TRY(daemon::make_private_folder(places.run()));
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.field("url", url);
  if (!token.empty()) {
    json.field("token", token);
  }
  json.end_object();
  text += '\n';
  return write_file_atomically(
      description_path(places), text, k_private, Durability::process_crash);
}

void remove_description(const Places& places) {
  ::unlink(description_path(places).c_str());
}

} // namespace upskill::http
