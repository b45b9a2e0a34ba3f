#include "tests/bench/home.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace upskill::bench {

Home::Home(const Settings& settings, const std::string& parent)
    : m_folder(parent)
    , m_programs(settings.programs) {
  for (const char* name : {".claude", ".codex", ".cursor"}) {
    make_folders(m_folder / name);
  }
  for (std::size_t i = 0; i < k_roots; ++i) {
    make_folders(root(i));
  }
}

Home::~Home() = default;

std::string Home::root(std::size_t number) const {
  constexpr std::array<const char*, k_roots> k_names = {
      ".agents/skills", ".claude/skills", ".cursor/skills"};
  return m_folder / k_names[number];
}

ProcessOptions Home::options(bool pipes) const {
  ProcessOptions options;
  options.environment = {"HOME=" + path(), "PATH=/usr/bin:/bin"};
  options.pipes = pipes;
  options.errors = m_folder / "errors";
  return options;
}

void Home::start(const std::vector<std::string>& arguments, const std::string& program) {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe");
  UniqueFd ready(ends[0]);
  UniqueFd tell(ends[1]);
  ProcessOptions with = options(false);
  with.keep = tell.get();
  std::vector<std::string> words = {program.empty() ? m_programs + "/upskilld" : program,
                                    "--ready-fd=" + std::to_string(tell.get())};
  words.insert(words.end(), arguments.begin(), arguments.end());
  m_daemon = std::make_unique<Process>(words, with);
  tell.reset();
  char byte = 0;
  require(::read(ready.get(), &byte, 1) == 1, "the daemon does not start");
}

void Home::stop() {
  m_daemon->signal(SIGTERM);
  m_daemon->wait();
  m_daemon.reset();
}

void Home::stop_unknown() const {
  command({"daemon", "stop"});
}

void Home::enable_sync() const {
  command({"sync", "enable", "--policy", "mirror", "--yes"});
  wait_idle();
}

void Home::rest() {
  std::this_thread::sleep_for(std::chrono::seconds(3));
}

std::unique_ptr<Process> Home::program(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {m_programs + "/upskill"};
  all.insert(all.end(), words.begin(), words.end());
  return std::make_unique<Process>(all, options(true));
}

void Home::command(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {m_programs + "/upskill"};
  all.insert(all.end(), words.begin(), words.end());
  int code = Process(all, options(false)).wait();
  require(code == 0, "`upskill " + words.front() + "` ended with " + std::to_string(code));
}

Places Home::places() const {
  auto lookup = [this](std::string_view name) {
    return name == "HOME" ? std::optional(path()) : std::nullopt;
  };
  auto places = find_places(lookup);
  require(places.has_value(), "no places");
  return std::move(*places);
}

UniqueFd Home::connect() const {
  std::string path = socket_path(places(), ::geteuid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
          "cannot connect to `" + path + "`");
  return socket;
}

HttpPlace Home::http() const {
  std::string file = places().run() + "/http.json";
  nlohmann::json told = nlohmann::json::parse(std::ifstream(file), nullptr, false);
  require(told.is_object(), "the daemon does not tell in `" + file + "` where it serves HTTP");
  auto url = told.value("url", std::string());
  constexpr std::string_view k_host = "http://127.0.0.1:";
  require(url.starts_with(k_host), "cannot go to `" + url + "`");
  HttpPlace place;
  const char* end = url.data() + url.size();
  auto [path, failed] = std::from_chars(url.data() + k_host.size(), end, place.port);
  require(failed == std::errc(), "no port in `" + url + "`");
  place.path = path == end ? "/" : std::string(path, end);
  place.token = told.value("token", std::string());
  return place;
}

std::string beside_bench(std::string_view name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

} // namespace upskill::bench
