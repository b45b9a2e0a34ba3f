#include "tests/support/daemon_facts.h"
#include "tests/support/http_messages.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::tests;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

// Repeats a text until it is about that long.
std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  all.reserve(size + text.size());
  while (all.size() < size) {
    all += text;
  }
  return all;
}

std::string call_of(const std::string& method, const json& params) {
  return modern_message(1, method, params).dump();
}

// A message whose nasty part is about that long, as JSON text.
struct Attack {
  std::string name;
  std::function<std::string(std::size_t size)> message;
};

// A tool call with these arguments, which need not be JSON that a library would write.
std::string raw_arguments(std::string_view tool, const std::string& arguments) {
  std::string call = call_of("tools/call", tool_params(tool));
  std::string_view place = R"("arguments":{})";
  return call.replace(call.find(place), place.size(), "\"arguments\":" + arguments);
}

std::string raw_param(std::string_view method, const std::string& member) {
  std::string call = call_of(std::string(method), json::object());
  std::string_view place = R"("params":{)";
  return call.replace(call.find(place), place.size(), "\"params\":{" + member + ",");
}

std::vector<Attack> attacks() {
  std::vector<Attack> all;
  auto add = [&](std::string name, std::function<std::string(std::size_t)> message) {
    all.push_back({std::move(name), std::move(message)});
  };
  for (const char* text :
       {"%2e%2e/", "../", "//", "%", "%25", "a/", "{", "{+a}", "a\\", "\u00e9"}) {
    add(std::string("uri ") + text, [text](std::size_t size) {
      return call_of("resources/read", {{"uri", "skill://" + repeated(text, size)}});
    });
    add(std::string("template ") + text, [text](std::size_t size) {
      return call_of(
          "completion/complete",
          {{"ref", {{"type", "ref/resource"}, {"uri", "skill://" + repeated(text, size)}}},
           {"argument", {{"name", "name"}, {"value", repeated(text, size)}}}});
    });
    add(std::string("query ") + text, [text](std::size_t size) {
      return call_of("tools/call", tool_params("skill_list", {{"query", repeated(text, size)}}));
    });
    add(std::string("skill ") + text, [text](std::size_t size) {
      return call_of("tools/call", tool_params("skill_read", {{"skill", repeated(text, size)}}));
    });
  }
  for (const char* text : {"a ", "(a+)+$", "aaaaaaaaab", "\u00e9\u0301"}) {
    add(std::string("words ") + text, [text](std::size_t size) {
      return call_of("tools/call", tool_params("skill_list", {{"query", repeated(text, size)}}));
    });
    add(std::string("completion ") + text, [text](std::size_t size) {
      return call_of("completion/complete",
                     {{"ref", {{"type", "ref/resource"}, {"uri", "skill://{name}/{+path}"}}},
                      {"argument", {{"name", "name"}, {"value", repeated(text, size)}}},
                      {"context", {{"arguments", {{"path", repeated(text, size)}}}}}});
    });
    add(std::string("cursor ") + text, [text](std::size_t size) {
      return call_of("resources/list", {{"cursor", repeated(text, size)}});
    });
    add(std::string("cursor of skills ") + text, [text](std::size_t size) {
      return call_of("skills/list", {{"cursor", repeated(text, size)}});
    });
    add(std::string("cursor of a tool ") + text, [text](std::size_t size) {
      return call_of("tools/call", tool_params("skill_list", {{"cursor", repeated(text, size)}}));
    });
    add(std::string("tool ") + text, [text](std::size_t size) {
      return call_of("tools/call", tool_params(repeated(text, size)));
    });
    add(std::string("prompt ") + text, [text](std::size_t size) {
      return call_of("prompts/get", {{"name", repeated(text, size)}});
    });
    add(std::string("task ") + text, [text](std::size_t size) {
      return call_of("tasks/get", {{"taskId", repeated(text, size)}});
    });
    add(std::string("state ") + text, [text](std::size_t size) {
      return call_of("resources/read",
                     {{"uri", "skill://review/SKILL.md"},
                      {"requestState", repeated(text, size)},
                      {"inputResponses", {{repeated(text, size), json::object()}}}});
    });
    add(std::string("version ") + text, [text](std::size_t size) {
      json message = modern_message(1, "server/discover");
      message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = repeated(text, size);
      return message.dump();
    });
    add(std::string("method ") + text,
        [text](std::size_t size) { return call_of(repeated(text, size), json::object()); });
  }
  add("deep arrays", [](std::size_t size) {
    return raw_arguments("skill_list",
                         "{\"x\":" + std::string(size / 2, '[') + std::string(size / 2, ']') + "}");
  });
  add("deep objects", [](std::size_t size) {
    return raw_arguments("skill_list",
                         repeated("{\"a\":", size / 2) + "1" + std::string(size / 2 / 5, '}'));
  });
  add("deep where nobody looks", [](std::size_t size) {
    return raw_param("server/discover",
                     "\"x\":" + repeated("[[[[[[[[", size / 2) + repeated("]]]]]]]]", size / 2));
  });
  add("wide arrays", [](std::size_t size) {
    return raw_arguments("skill_list", "{\"query\":[" + repeated("1,", size) + "1]}");
  });
  add("equal keys of the arguments", [](std::size_t size) {
    return raw_arguments("skill_list", "{" + repeated("\"limit\":1,", size) + "\"limit\":1}");
  });
  add("unknown keys of the arguments", [](std::size_t size) {
    std::string members;
    for (std::size_t i = 0; members.size() < size; ++i) {
      members += "\"key" + std::to_string(i) + "\":1,";
    }
    return raw_arguments("skill_list", "{" + members + "\"limit\":1}");
  });
  add("equal keys of the parameters", [](std::size_t size) {
    return raw_param("tools/list", repeated("\"x\":1,", size) + "\"x\":1");
  });
  add("equal keys, escaped", [](std::size_t size) {
    return raw_param("tools/list", repeated("\"\\u0078\":1,", size) + "\"x\":1");
  });
  add("keys that are long", [](std::size_t size) {
    return raw_param("tools/list", "\"" + repeated("\\u0041\\\\", size) + "\":1");
  });
  add("numbers that are long", [](std::size_t size) {
    return raw_arguments("skill_list", "{\"limit\":" + std::string(size, '9') + "}");
  });
  add("fractions that are long", [](std::size_t size) {
    return raw_arguments("skill_list", "{\"limit\":0." + std::string(size, '3') + "}");
  });
  add("exponents that are long", [](std::size_t size) {
    return raw_arguments("skill_list", "{\"limit\":1e" + std::string(size, '9') + "}");
  });
  add("zeros that are long", [](std::size_t size) {
    return raw_param("tools/list",
                     "\"x\":1" + std::string(size, '0') + "e-" + std::to_string(size));
  });
  add("subscriptions", [](std::size_t size) {
    json uris = json::array();
    for (std::size_t i = 0; i * 40 < size; ++i) {
      uris.push_back("skill://review/" + std::string(20, 'a') + std::to_string(i));
    }
    json listen =
        call_of("subscriptions/listen", {{"notifications", {{"resourceSubscriptions", uris}}}});
    return listen.get<std::string>();
  });
  add("capabilities", [](std::size_t size) {
    json many = json::object();
    for (std::size_t i = 0; i * 20 < size; ++i) {
      many["capability" + std::to_string(i)] = json::object();
    }
    return modern_message(1, "tools/list", json::object(), many).dump();
  });
  add("a batch", [](std::size_t size) { return "[" + repeated("{},", size) + "{}]"; });
  add("white space", [](std::size_t size) {
    return call_of("tools/list", json::object()) + std::string(size, ' ');
  });
  return all;
}

// A daemon with a few hundred skills, so that a search has something to look at.
struct World {
  World() {
    std::filesystem::create_directories(home / ".claude");
    for (int i = 0; i < 300; ++i) {
      std::string name = "skill-" + std::string(40, 'a') + std::to_string(i);
      std::string folder = home / (".agents/skills/" + name);
      std::filesystem::create_directories(folder);
      put_file(folder + "/SKILL.md",
               "---\nname: " + name + "\ndescription: " + std::string(500, 'a') + "\n---\n");
    }
    daemon.emplace(home.path());
    client.emplace(daemon->socket());
    ask(*client, "wait_idle");
    ask(*client, "skill_list");
  }

  // What the daemon spends on a message sent so many times, one after the other; the least of some
  // tries, for the machine has other work too. The kernel adds up the time of another process when
  // that one stops or at a tick: what takes less than a tick is to be sent many times.
  std::chrono::nanoseconds cost(const std::string& message, int tries = 3, int times = 1) {
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < tries; ++i) {
      auto before = cpu_time(daemon->pid());
      for (int n = 0; n < times; ++n) {
        exchange(message);
      }
      least = std::min(least, cpu_time(daemon->pid()) - before);
    }
    return least;
  }

  void exchange(const std::string& message) {
    client->send(message + "\n");
    client->line();
    if (message.find("subscriptions/listen") != std::string::npos) {
      client->send(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                   R"("params":{"requestId":1}})"
                   "\n");
    }
  }

  TemporaryFolder home;
  std::optional<DaemonProcess> daemon = {};
  std::optional<Client> client = {};
};

} // namespace

TEST_SUITE("hostile cost") {
  TEST_CASE("no message costs more than in proportion to its length") {
    World world;
    constexpr std::size_t k_size = 64u << 10;
    constexpr int k_more = 8;
    const std::chrono::nanoseconds slack = is_sanitized() ? 200ms : 20ms;
    const std::chrono::nanoseconds limit = is_sanitized() ? 5000ms : 500ms;
    for (const Attack& attack : attacks()) {
      // As many bytes in small messages as in the large one: in proportion to the square the large
      // one would take 8 times as much.
      std::string one = attack.message(k_size);
      std::string many = attack.message(k_more * k_size);
      auto small = world.cost(one, 3, k_more);
      auto large = world.cost(many);
      // A machine with much other work spoils some tries, but not all of them.
      for (int tries = 3; tries < 10 && (large > 3 * small + slack || large >= limit); ++tries) {
        small = std::min(small, world.cost(one, 1, k_more));
        large = std::min(large, world.cost(many, 1));
      }
      CAPTURE(attack.name);
      CAPTURE(small.count());
      CAPTURE(large.count());
      CHECK(large <= 3 * small + slack);
      // And nothing that a person would notice, whatever the proportion.
      CHECK(large < limit);
    }
    CHECK(ask(*world.client, "status")["pid"] == world.daemon->pid());
  }

  TEST_CASE("what is just within the bounds is no more expensive") {
    World world;
    for (const Attack& attack : attacks()) {
      for (std::size_t size : {std::size_t(100), std::size_t(1000), std::size_t(4000)}) {
        CAPTURE(attack.name);
        CAPTURE(size);
        auto spent = world.cost(attack.message(size));
        CAPTURE(spent.count());
        CHECK(spent < (is_sanitized() ? 2000ms : 100ms));
      }
    }
  }

  TEST_CASE("a message of 15 MiB is answered, and others do not wait for long") {
    World world;
    Client other(world.daemon->socket());
    constexpr std::size_t k_size = 15u << 20;
    for (const Attack& attack : {attacks().front(), attacks().back()}) {
      CAPTURE(attack.name);
      CHECK(world.cost(attack.message(k_size), 1) < (is_sanitized() ? 30s : 3s));
      CHECK(ask(other, "status")["pid"] == world.daemon->pid());
    }
    for (const Attack& attack : attacks()) {
      if (attack.name.starts_with("deep") || attack.name == "equal keys of the arguments"
          || attack.name.starts_with("numbers") || attack.name.starts_with("wide")) {
        CAPTURE(attack.name);
        CHECK(world.cost(attack.message(k_size), 1) < (is_sanitized() ? 30s : 3s));
      }
    }
    CHECK(ask(other, "status")["pid"] == world.daemon->pid());
    CHECK(rss_bytes(other) < (is_sanitized() ? 2000 : 300) << 20);
  }

  TEST_CASE("searches of many long words cost no more than a look at every skill for each") {
    World world;
    std::string words;
    for (int i = 0; i < 2'000; ++i) {
      words += std::string(30, 'a') + std::to_string(i) + " ";
    }
    auto spent = world.cost(
        call_of("tools/call", tool_params("skill_list", {{"query", words}, {"limit", 1000}})));
    CAPTURE(spent.count());
    CHECK(spent < (is_sanitized() ? 5000ms : 500ms));
  }
}
