#pragma once
#include "daemon/handlers/resources.h"
#include "daemon/handlers/skill_entries.h"
#include "daemon/handlers/skills.h"
#include "daemon/handlers/sync.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace upskill::tests {

// A home of its own with a real sync service that watches it, and the methods about skills.
class SkillsWorld {
public:
  // `agents` are folders below home that give agents away, such as `.claude`.
  explicit SkillsWorld(std::initializer_list<const char*> agents = {".claude", ".codex"}) {
    for (const char* agent : agents) {
      std::filesystem::create_directories(home() + "/" + agent);
    }
  }

  SkillsWorld(const SkillsWorld&) = delete;
  SkillsWorld& operator=(const SkillsWorld&) = delete;

  ~SkillsWorld() {
    if (m_running) {
      run(m_running->service.stop());
      m_running->pool.join();
      m_io.restart();
      m_io.poll();
    }
  }

  std::string home() const { return m_folder.path() + "/home"; }

  std::string operator/(std::string_view name) const { return home() + "/" + std::string(name); }

  void file(std::string_view path, std::string_view text) {
    std::string full = *this / path;
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    REQUIRE(write_file_atomically(full, text, 0644, Durability::process_crash));
  }

  // A skill with this SKILL.md in the folder `path`.
  void skill(std::string_view path, std::string_view description = "does things") {
    std::string name = std::filesystem::path(path).filename();
    file(std::string(path) + "/SKILL.md",
         "---\nname: " + name + "\ndescription: " + std::string(description) + "\n---\n# Body\n");
  }

  void link(std::string_view path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(*this / path).parent_path());
    std::filesystem::create_symlink(target, *this / path);
  }

  daemon::SyncService& service() { return running().service; }

  daemon::SkillLibrary& library() { return running().library; }

  daemon::SkillResources& resources() { return running().resources; }

  daemon::SkillEntries& entries() { return running().entries; }

  // Whatever was written counts as an hour old, for those who do not trust what is younger.
  void age_files() { m_age = std::chrono::hours(1); }

  // What the method answers, as a client of ours in the folder `cwd` would see it.
  template <class P, class R>
  Result<R> call(const Method<P, R>& method, P params, daemon::RequestContext context = {}) {
    const MethodInfo* info = find_method(method.name);
    REQUIRE(info != nullptr);
    Result<mcp::Answer> answer =
        run(running().binder.call_slow(*info, encode(params), std::move(context)));
    if (!answer) {
      return tl::make_unexpected(answer.error());
    }
    rpc::JsonParser parser;
    Result<R> result =
        rpc::decode_arguments<R>(parser, std::get<mcp::ToolAnswer>(*answer).structured);
    REQUIRE(result);
    return result;
  }

  // A call that is under way, as a client sees it that may hang up.
  struct Asked {
    std::optional<Result<mcp::Answer>> answer;
    asio::cancellation_signal hang_up;
  };

  template <class P, class R> std::unique_ptr<Asked> ask(const Method<P, R>& method, P params) {
    const MethodInfo* info = find_method(method.name);
    REQUIRE(info != nullptr);
    auto asked = std::make_unique<Asked>();
    auto body = [](daemon::Awaitable<mcp::Answer> task, Asked& out) -> asio::awaitable<void> {
      out.answer = co_await std::move(task);
    };
    auto slot = asked->hang_up.slot();
    auto task = body(running().binder.call_slow(*info, encode(params), {}), *asked);
    auto done = [out = asked.get()](const std::exception_ptr& failure) {
      if (failure && !out->answer) {
        out->answer = fail(ErrorCode::cancelled, "by an exception");
      }
    };
    asio::co_spawn(m_io, std::move(task), asio::bind_cancellation_slot(slot, std::move(done)));
    return asked;
  }

  // Lets that many things happen, or those that happen until the call is answered.
  void turn(const Asked& asked, int count) {
    m_io.restart();
    for (int i = 0; i < count && !asked.answer; ++i) {
      m_io.run_one();
    }
  }

  // Lets things happen until it is so; a test that waits in vain is ended by its limit.
  void until(const std::function<bool()>& it_is_so) {
    m_io.restart();
    while (!it_is_so()) {
      m_io.run_one();
    }
  }

  void until_answered(const Asked& asked) {
    m_io.restart();
    while (!asked.answer) {
      m_io.run_one();
    }
  }

  // What the daemon logged.
  std::string log() const {
    Result<std::string> text = read_file(m_log.path(), 1u << 20);
    REQUIRE(text);
    return *text;
  }

  // How the addresses of the resources begin that clients were told have changed, since it was
  // cleared.
  std::set<std::string>& updated() { return m_updated; }

  // How often clients were told so, of whatever.
  int& updates() { return m_updates; }

  // How often they were told that the list has changed.
  int& list_changes() { return m_list_changes; }

  // Until sync and its clients know of everything that was done so far.
  void wait_idle() { REQUIRE(run(service().wait_idle(std::chrono::seconds(30)))); }

  template <class T> T run(asio::awaitable<T> task) {
    std::optional<T> value;
    auto body = [](asio::awaitable<T> work, std::optional<T>& out) -> asio::awaitable<void> {
      out = co_await std::move(work);
    };
    run(body(std::move(task), value));
    return std::move(*value);
  }

  void run(asio::awaitable<void> task) {
    bool done = false;
    std::exception_ptr failure;
    asio::co_spawn(m_io, std::move(task), [&](std::exception_ptr thrown) {
      done = true;
      failure = thrown;
    });
    m_io.restart();
    while (!done) {
      m_io.run_one();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

private:
  struct Running {
    explicit Running(SkillsWorld& world)
        : pool(3)
        , service(context(world), world.m_environment)
        , library(service)
        , resources(library)
        , entries(library, [&world] { return world.stamp_ns(); })
        , binder(world.m_log) {
      daemon::bind_skill_handlers(
          binder, library, [this](StatusResult& status) { service.describe(status); });
      daemon::bind_sync_handlers(binder, library);
      service.start();
    }

    daemon::EngineContext context(SkillsWorld& world) {
      return {world.m_io,
              world.m_places,
              world.m_log,
              world.m_counters,
              nullptr,
              [this]() -> runtime::Pool& { return pool; },
              [&world](const mcp::Change& change) {
                if (change.kind == mcp::Change::resources) {
                  world.m_updated.emplace(change.prefix);
                  ++world.m_updates;
                } else {
                  ++world.m_list_changes;
                }
              }};
    }

    runtime::Pool pool;
    daemon::SyncService service;
    daemon::SkillLibrary library;
    daemon::SkillResources resources;
    daemon::SkillEntries entries;
    daemon::Binder binder;
  };

  // The clock that files' times are compared with.
  std::int64_t stamp_ns() const {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()
           + std::chrono::nanoseconds(m_age).count();
  }

  Running& running() {
    if (!m_running) {
      m_places = find_places(m_environment).value();
      REQUIRE(make_directories(m_places.run(), 0700));
      m_running.emplace(*this);
    }
    return *m_running;
  }

  TemporaryFolder m_folder;
  Environment m_environment = [home = home()](std::string_view name) {
    return name == "HOME" ? std::optional(home) : std::nullopt;
  };
  Places m_places;
  asio::io_context m_io;
  telemetry::Log m_log =
      telemetry::Log::open({telemetry::LogLevel::info, m_folder.path() + "/log"}).value();
  telemetry::Counters m_counters;
  std::chrono::hours m_age{0};
  std::set<std::string> m_updated;
  int m_updates = 0;
  int m_list_changes = 0;
  std::optional<Running> m_running;
};

} // namespace upskill::tests
