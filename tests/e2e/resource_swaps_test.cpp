#include "protocol/base/hash.h"
#include "protocol/mcp/base64.h"
#include "tests/support/daemon_facts.h"
#include "tests/support/http_messages.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// What must never be seen. It begins like front matter, so that nothing else is wrong with it.
const std::string k_secret = "---\nname: review\ndescription: TOPSECRET words\n---\nTOPSECRET\n";
const std::string k_true = "---\nname: review\ndescription: True words\n---\nTRUE TEXT\n";

// A home with a skill, and beside it what is none of the skill's.
class Home {
public:
  Home() {
    for (const char* folder : {".claude", ".codex"}) {
      fs::create_directories(m_folder / folder);
    }
    put(".agents/skills/review/SKILL.md", k_true);
    put(".agents/skills/review/notes.txt", "TRUE TEXT\n");
    put(".agents/skills/review/data/notes.txt", "TRUE TEXT\n");
    put("outside/SKILL.md", k_secret);
    put("outside/notes.txt", k_secret);
    put("outside/TOPSECRET.txt", k_secret); // its name is one, too
    put("outside/hidden.txt", k_secret);
    put("outside/data/notes.txt", k_secret);
    put("staging/.keep", "");
  }

  const std::string& path() const { return m_folder.path(); }

  std::string operator/(std::string_view name) const { return m_folder / name; }

  void put(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(m_folder / name).parent_path());
    put_file(m_folder / name, text);
  }

private:
  TemporaryFolder m_folder;
};

// Whether a text gives anything of the secret away, in whatever form.
bool gives_away(std::string_view text) {
  static const std::string digest = sha256(k_secret).hex();
  static const std::string encoded = mcp::base64(k_secret).substr(0, 60);
  return text.find("TOPSECRET") != std::string_view::npos
         || text.find(digest) != std::string_view::npos
         || text.find(encoded) != std::string_view::npos;
}

json request(int id, std::string_view method, json params) {
  return modern_message(id, method, std::move(params));
}

// Everything by which content of the skill can be had.
std::vector<json> questions() {
  std::vector<json> all;
  auto add = [&](std::string_view method, json params) {
    all.push_back(request(static_cast<int>(all.size()), method, std::move(params)));
  };
  for (const char* file : {"SKILL.md", "notes.txt", "data/notes.txt", "hidden.txt"}) {
    add("resources/read", {{"uri", std::string("skill://review/") + file}});
    add("tools/call", tool_params("skill_read", {{"skill", "review"}, {"file", file}}));
  }
  for (const char* folder : {"skill://review", "skill://review/data"}) {
    add("resources/directory/read", {{"uri", folder}});
  }
  add("skills/get", {{"uri", "skill://review/SKILL.md"}});
  add("skills/list", json::object());
  add("prompts/get", {{"name", "review_skill"}, {"arguments", {{"skill", "review"}}}});
  return all;
}

// Does something to files again and again beside the reader, as long as it lives: some 40 times for
// each answer, so that the daemon, which looks at every change, is not only busy with that. An odd
// number: what swaps in step with the reader must not always be back where it was.
class Disturbance {
public:
  // False where it could not be done.
  explicit Disturbance(std::function<bool()> once)
      : m_once(std::move(once))
      , m_thread([this] { run(); }) {}

  ~Disturbance() {
    {
      std::lock_guard lock(m_mutex);
      m_is_over = true;
    }
    m_changed.notify_one();
    m_thread.join();
  }

  Disturbance(const Disturbance&) = delete;

  void answered() {
    {
      std::lock_guard lock(m_mutex);
      m_left += 41;
    }
    m_changed.notify_one();
  }

  std::size_t count() const { return m_count; }

private:
  void run() {
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_changed.wait(lock, [this] { return m_is_over || m_left > 0; });
      if (m_is_over) {
        return;
      }
      --m_left;
      lock.unlock();
      m_count += m_once() ? 1 : 0;
      lock.lock();
    }
  }

  std::function<bool()> m_once;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_is_over = false;
  int m_left = 1000;
  std::atomic<std::size_t> m_count = 0;
  std::thread m_thread;
};

// Exchanges two things.
std::function<bool()> swapping(const std::string& a, const std::string& b) {
  return [a, b] {
    constexpr unsigned k_exchange = 2; // RENAME_EXCHANGE of linux/fs.h
    return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), k_exchange) == 0;
  };
}

// Replaces a file by a link out of the skill, by another name of a true file, and moves that away
// and back.
std::function<bool()> linking(const std::string& file, const std::string& other) {
  return [file, other, moved = other + ".moved"] {
    ::unlink(file.c_str());
    ::symlink("../../../outside/notes.txt", file.c_str());
    ::unlink(file.c_str());
    ::link(other.c_str(), file.c_str());
    return ::rename(file.c_str(), moved.c_str()) == 0 && ::rename(moved.c_str(), file.c_str()) == 0;
  };
}

// Asks everything again and again until both the truth and refusals were seen, and often. What ends
// it otherwise is work and not time, of which another process may get most.
void hammer(const DaemonProcess& daemon, Disturbance& disturbance) {
  Client client(daemon.socket());
  std::vector<json> all = questions();
  std::size_t truths = 0;
  std::size_t refusals = 0;
  std::size_t asked = 0;
  std::string burst;
  for (const json& question : all) {
    burst += question.dump() + "\n";
  }
  const std::size_t least = is_sanitized() ? 500 : 1'000;
  auto has_seen_enough = [&] {
    return asked >= least && truths >= 50 && refusals >= asked / all.size() * 2 + 10
           && disturbance.count() > 200; // `hidden.txt` is refused twice in each burst
  };
  while (!has_seen_enough() && asked < 50 * least) {
    client.send(burst);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::string answer = client.line();
      REQUIRE_MESSAGE(!gives_away(answer), answer);
      truths += answer.find("TRUE TEXT") != std::string::npos ? 1 : 0;
      bool is_refused = answer.find("\"error\"") != std::string::npos
                        || answer.find("\"isError\":true") != std::string::npos;
      refusals += is_refused ? 1 : 0;
      ++asked;
      disturbance.answered();
    }
  }
  CHECK(has_seen_enough());
  MESSAGE(asked,
          " answers, ",
          truths,
          " with the truth, ",
          refusals,
          " refused, ",
          disturbance.count(),
          " swaps");
}

void wait_until_idle(const DaemonProcess& daemon) {
  Client client(daemon.socket());
  ask(client, "wait_idle");
}

} // namespace

TEST_SUITE("resource swaps") {
  TEST_CASE("a file that is now and then a link to a secret never gives it away") {
    Home home;
    std::string target;
    std::string swapped;
    SUBCASE("a file, absolute") {
      swapped = ".agents/skills/review/notes.txt";
      target = home / "outside/notes.txt";
    }
    SUBCASE("a file, by dots") {
      swapped = ".agents/skills/review/notes.txt";
      target = "../../../outside/notes.txt";
    }
    SUBCASE("SKILL.md") {
      swapped = ".agents/skills/review/SKILL.md";
      target = home / "outside/SKILL.md";
    }
    SUBCASE("a folder") {
      swapped = ".agents/skills/review/data";
      target = home / "outside";
    }
    SUBCASE("a folder, by dots") {
      swapped = ".agents/skills/review/data";
      target = "../../../outside/data";
    }
    SUBCASE("the skill") {
      swapped = ".agents/skills/review";
      target = home / "outside";
    }
    SUBCASE("by the system's own links") {
      swapped = ".agents/skills/review/notes.txt";
      target = "/proc/self/cwd" + home / "outside/notes.txt";
    }
    fs::create_symlink(target, home / "staging/link");
    DaemonProcess daemon(home.path());
    wait_until_idle(daemon);
    Disturbance disturbance(swapping(home / swapped, home / "staging/link"));
    hammer(daemon, disturbance);
  }

  TEST_CASE("names that come and go never give a secret away") {
    Home home;
    home.put("staging/true.txt", "TRUE TEXT\n");
    DaemonProcess daemon(home.path());
    wait_until_idle(daemon);
    Disturbance disturbance(
        linking(home / ".agents/skills/review/notes.txt", home / "staging/true.txt"));
    hammer(daemon, disturbance);
  }

  TEST_CASE("links that stay are no way out either") {
    Home home;
    std::string skill = home / ".agents/skills/review";
    fs::create_symlink(home / "outside/notes.txt", skill + "/absolute.txt");
    fs::create_symlink("../../../outside/notes.txt", skill + "/relative.txt");
    fs::create_directory_symlink(home / "outside", skill + "/folder");
    fs::create_symlink("folder/notes.txt", skill + "/through.txt");
    fs::create_symlink("/proc/self/root" + home / "outside/notes.txt", skill + "/magic.txt");
    fs::create_symlink("loop.txt", skill + "/loop.txt");
    REQUIRE(::mkfifo((skill + "/pipe.txt").c_str(), 0600) == 0);
    fs::create_directory_symlink(home / "outside", home / ".agents/skills/linked");
    DaemonProcess daemon(home.path());
    wait_until_idle(daemon);
    Client client(daemon.socket());
    for (const char* uri : {"skill://review/absolute.txt",
                            "skill://review/relative.txt",
                            "skill://review/folder/notes.txt",
                            "skill://review/through.txt",
                            "skill://review/magic.txt",
                            "skill://review/loop.txt",
                            "skill://review/pipe.txt",
                            "skill://linked/SKILL.md",
                            "skill://linked/notes.txt"}) {
      CAPTURE(uri);
      client.send(request(1, "resources/read", {{"uri", uri}}).dump() + "\n");
      std::string answer = client.line();
      CHECK(json::parse(answer).value("/error/code"_json_pointer, 0) == -32602);
      CHECK_FALSE(gives_away(answer));
    }
    for (const char* uri : {"skill://review/folder", "skill://linked", "skill://review/pipe.txt"}) {
      CAPTURE(uri);
      client.send(request(1, "resources/directory/read", {{"uri", uri}}).dump() + "\n");
      std::string answer = client.line();
      CHECK(json::parse(answer).value("/error/code"_json_pointer, 0) == -32602);
      CHECK_FALSE(gives_away(answer));
    }
    for (const json& question : questions()) {
      client.send(question.dump() + "\n");
      CHECK_FALSE(gives_away(client.line()));
    }
  }

  TEST_CASE("an address means a file of that skill and nothing else, however it is written") {
    Home home;
    home.put(".agents/skills_evil/secret.txt", k_secret);
    home.put(".agents/skills/review_evil/notes.txt", k_secret);
    home.put(".agents/skills/review/.git/config", k_secret);
    home.put(".agents/skills/caf\u00e9/SKILL.md", "---\nname: cafe\ndescription: d\n---\n");
    home.put(".agents/skills/review/caf\u00e9.txt", "TRUE TEXT\n");
    DaemonProcess daemon(home.path());
    wait_until_idle(daemon);
    Client client(daemon.socket());
    auto answer_to = [&](std::string_view method, const std::string& uri) {
      client.send(request(1, method, {{"uri", uri}}).dump() + "\n");
      return client.line();
    };
    auto is_error = [](const std::string& answer) {
      return json::parse(answer).value("/error/code"_json_pointer, 0) == -32602;
    };
    CHECK(answer_to("resources/read", "skill://review/notes.txt").find("TRUE TEXT")
          != std::string::npos);
    CHECK(answer_to("resources/read", "skill://review/caf%C3%A9.txt").find("TRUE TEXT")
          != std::string::npos);
    std::vector<std::string> bad{
        // Out of the skill by dots, in every spelling.
        "skill://review/../../../outside/notes.txt",
        "skill://review/../review_evil/notes.txt",
        "skill://review/%2e%2e/review_evil/notes.txt",
        "skill://review/%2E%2E/%2E%2E/%2E%2E/outside/notes.txt",
        "skill://review/.%2e/review_evil/notes.txt",
        "skill://review/..%2freview_evil%2fnotes.txt",
        "skill://review/%2e%2e%2freview_evil%2fnotes.txt",
        "skill://review/%252e%252e/review_evil/notes.txt",
        "skill://review/%252e%252e%252freview_evil%252fnotes.txt",
        "skill://review/..%5creview_evil%5cnotes.txt",
        "skill://review/..\\review_evil\\notes.txt",
        "skill://review/data/../../review_evil/notes.txt",
        "skill://review/./notes.txt",
        "skill://review/data/%2e/notes.txt",
        "skill://review/..;/review_evil/notes.txt",
        "skill://review/%c0%ae%c0%ae/review_evil/notes.txt",
        "skill://review/%e0%80%ae%e0%80%ae/review_evil/notes.txt",
        "skill://review/%u002e%u002e/review_evil/notes.txt",
        "skill://review/\uff0e\uff0e/review_evil/notes.txt",
        "skill://review/\u2024\u2024/review_evil/notes.txt",
        // As the skill.
        "skill://../outside/notes.txt",
        "skill://..%2f..%2foutside/notes.txt",
        "skill://%2e%2e/skills_evil/secret.txt",
        "skill://./review/notes.txt",
        "skill://review%2f..%2freview_evil/notes.txt",
        "skill://.agents/skills_evil/secret.txt",
        "skill:///" + home.path() + "/outside/notes.txt",
        "skill://" + home.path() + "/outside/notes.txt",
        // Empty parts, roots, prefixes.
        "skill://review//notes.txt",
        "skill:////review/notes.txt",
        "skill://review/data//notes.txt",
        "skill://review/notes.txt/",
        "skill://review//" + home.path() + "/outside/notes.txt",
        "skill://review/" + home.path() + "/outside/notes.txt",
        "skill://review/%2fetc%2fpasswd",
        "skill://review/notes.tx",
        "skill://review/notes.txt.",
        "skill://review/notes.txt%20",
        "skill://review/notes.txt%00",
        "skill://review/notes.txt%00.md",
        "skill://review/%00",
        "skill://review/notes.txt%0a",
        "skill://review/NOTES.TXT",
        "skill://REVIEW/notes.txt",
        "skill://review./notes.txt",
        "skill://review:80/notes.txt",
        "skill://user@review/notes.txt",
        "skill://review/notes.txt?x=1",
        "skill://review/notes.txt#x",
        "skill://review/notes.txt%",
        "skill://review/notes.txt%2",
        "skill://review/notes%2.txt",
        "skill://review/%6eotes.txt%zz",
        "skill://review/.git/config",
        "skill://review/%2egit/config",
        "skill://review",
        "skill://review/",
        "skill://",
        // Other forms of the same letters, letters that are not seen, letters from right to left.
        "skill://review/cafe\u0301.txt",
        "skill://review/cafe%CC%81.txt",
        "skill://cafe\u0301/SKILL.md",
        "skill://cafe%CC%81/SKILL.md",
        "skill://caf%E9/SKILL.md",
        "skill://review/\u202Etxt.seton",
        "skill://review/notes.txt\u202E",
        "skill://review/no\u200Btes.txt",
        "skill://review/\uFEFFnotes.txt",
        "skill://r\u0435view/notes.txt",
        // Other schemes.
        "file:///etc/passwd",
        "file://" + home.path() + "/outside/notes.txt",
        "SKILL://review/notes.txt",
        "skill:review/notes.txt",
        "http://127.0.0.1/notes.txt",
        "upskill://job/../../etc/passwd",
        "data:text/plain,TRUE",
        "skill://" + std::string(4000, 'a') + "/notes.txt",
        "skill://review/" + std::string(4096, 'a'),
        "skill://review/" + std::string(300, 'a'),
        "skill://review" + std::string(1500, '/'),
        std::string("skill://review/notes.txt\0", 25),
        std::string("skill://review/no\0tes.txt", 25),
        "",
        "notes.txt",
        "/etc/passwd"};
    for (const std::string& uri : bad) {
      CAPTURE(uri);
      for (const char* method : {"resources/read", "skills/get"}) {
        std::string answer = answer_to(method, uri);
        CAPTURE(answer);
        CHECK(is_error(answer));
        CHECK_FALSE(gives_away(answer));
        CHECK(answer.find("TRUE TEXT") == std::string::npos);
      }
      std::string listed = answer_to("resources/directory/read", uri);
      CAPTURE(listed);
      CHECK((is_error(listed) || uri == "skill://review"));
      CHECK_FALSE(gives_away(listed));
    }
    // The same by the tool that agents have.
    for (const char* file : {"../review_evil/notes.txt",
                             "/etc/passwd",
                             "data/../../review_evil/notes.txt",
                             "..\\review_evil\\notes.txt",
                             ".git/config",
                             "notes.txt/",
                             "./notes.txt",
                             "data//notes.txt",
                             ""}) {
      for (const std::string& skill :
           {std::string("review"), std::string("../skills/review"), home / "outside"}) {
        if (*file == '\0' && skill == "review") {
          continue; // its SKILL.md
        }
        json call = tool_params("skill_read", {{"skill", skill}, {"file", file}});
        client.send(request(1, "tools/call", call).dump() + "\n");
        std::string answer = client.line();
        CAPTURE(answer);
        CHECK_FALSE(gives_away(answer));
        CHECK(json::parse(answer)["result"].value("isError", false));
      }
    }
  }
}
