#include "tests/support/daemon_facts.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <time.h>

#include <filesystem>
#include <iterator>

namespace upskill::tests {

using nlohmann::json;

json ask(Client& client, std::string_view tool, std::string_view arguments) {
  client.send(modern_call(1, tool, arguments));
  json answer = json::parse(client.line());
  REQUIRE_MESSAGE(answer.contains("result"), answer.dump());
  return answer["result"].value("structuredContent", json());
}

std::int64_t counter(Client& client, const std::string& name) {
  return ask(client, "daemon_status")["counters"].value(name, 0);
}

std::int64_t rss_bytes(Client& client) {
  return ask(client, "daemon_status")["rss_bytes"];
}

void change_list(Client& client) {
  client.send(modern_call(1, "sync_disable"));
  client.line();
}

std::size_t open_descriptors(pid_t process) {
  std::filesystem::directory_iterator folder("/proc/" + std::to_string(process) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

std::chrono::nanoseconds cpu_time(pid_t process) {
  clockid_t clock{};
  REQUIRE(::clock_getcpuclockid(process, &clock) == 0);
  timespec time{};
  REQUIRE(::clock_gettime(clock, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool is_sanitized() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#endif
  return false;
}

bool can_open(std::size_t descriptors) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < descriptors) {
    MESSAGE("skipped: the limit of descriptors is ", limit.rlim_max);
  }
  return limit.rlim_max >= descriptors;
}

} // namespace upskill::tests
