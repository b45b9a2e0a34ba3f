#pragma once
#include "daemon/await.h"
#include "daemon/http/server.h"
#include "daemon/runtime/condition.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace upskill::tests {

inline std::string any_schema() {
  return R"({"type":"object"})";
}

constexpr MethodInfo http_tool(std::string_view name) {
  return {name, "", "", "", Effect::reads, Audience::agents, Pace::slow, &any_schema, &any_schema};
}

inline constexpr std::array k_http_tools{
    http_tool("hello"), http_tool("hold"), http_tool("steps"), http_tool("ask"), http_tool("late")};

// An HttpServer on a thread of its own, with a few tools: `hello` answers, `hold` waits for
// release(), `steps` reports progress and then holds, `ask` asks for a name, and `late` lets its
// client go and then holds.
class HttpWorld {
public:
  explicit HttpWorld(bool require_token = true, http::ConnectionLimits limits = {}) {
    mcp::Offer offer;
    offer.tools = k_http_tools;
    offer.resources = false;
    offer.list_changes = true;
    m_server.emplace(mcp::ServerInfo{}, offer);
    m_services.server = &*m_server;
    m_services.ring = [this](const hook::HookEvent& event) { m_rung.push_back(event); };
    bind();
    places.home = m_folder.path();
    places.state = m_folder / "state";
    http::HttpOptions options{"127.0.0.1:0", require_token, limits};
    auto opened = http::HttpServer::open(m_services, places, options);
    REQUIRE_MESSAGE(opened.has_value(), opened.error().message);
    m_http = std::move(*opened);
    nlohmann::json told = nlohmann::json::parse(file_text(places.run() + "/http.json"));
    place.url = told["url"];
    place.token = told.value("token", "");
    place.port = static_cast<std::uint16_t>(
        std::stoi(place.url.substr(std::string("http://127.0.0.1:").size())));
    m_thread = std::thread([this] { m_io.run(); });
  }

  ~HttpWorld() {
    stop();
    m_thread.join();
  }

  HttpWorld(const HttpWorld&) = delete;
  HttpWorld& operator=(const HttpWorld&) = delete;

  // Runs on the server's thread.
  template <class Action> auto on_thread(Action action) {
    using T = decltype(action(*m_http));
    std::promise<T> done;
    asio::post(m_io, [&] {
      if constexpr (std::is_void_v<T>) {
        action(*m_http);
        done.set_value();
      } else {
        done.set_value(action(*m_http));
      }
    });
    return done.get_future().get();
  }

  std::int64_t counter(std::string_view name) { return m_counters.at(name); }

  // Connections, and what of requests and sessions is not over.
  std::size_t size() {
    return on_thread([](http::HttpServer& server) { return server.size(); });
  }

  // Ends what holds, now and later.
  void release() {
    on_thread([this](http::HttpServer&) {
      m_is_released = true;
      m_released.notify_all();
    });
  }

  // Waits until so many hold.
  bool holds(int count) {
    std::unique_lock lock(m_mutex);
    return m_holding_changed.wait_for(
        lock, std::chrono::seconds(30), [&] { return m_holding == count; });
  }

  // drain() and finish() as Daemon calls them.
  void stop() {
    if (m_is_stopped) {
      return;
    }
    m_is_stopped = true;
    std::promise<void> done;
    asio::co_spawn(m_io, end(), [&](std::exception_ptr) { done.set_value(); });
    done.get_future().get();
  }

  std::size_t left() const { return m_left; }

  HttpRequest modern(std::string_view tool, int id = 1) const {
    nlohmann::json params = tool_params(tool);
    params["_meta"]["progressToken"] = 0;
    return http_modern(place, modern_message(id, "tools/call", params));
  }

  HttpRequest legacy(const std::string& session, std::string_view tool, int id = 1) const {
    nlohmann::json params = tool_params(tool);
    params["_meta"]["progressToken"] = 0;
    return http_legacy(place, session, legacy_message(id, "tools/call", params));
  }

  // What hooks told so far.
  std::vector<hook::HookEvent> rung() {
    return on_thread([this](http::HttpServer&) { return m_rung; });
  }

  // Null: no more.
  void mirror_to(telemetry::Mirror* mirror) {
    on_thread([this, mirror](http::HttpServer&) { m_services.mirror = mirror; });
  }

  // Whose work the calls of `hello` were so far, one after the other.
  std::vector<std::uint64_t> clients() {
    return on_thread([this](http::HttpServer&) { return m_clients; });
  }

  Places places;
  HttpPlace place;

private:
  using Reply = daemon::Awaitable<mcp::Answer>;

  static mcp::Answer text_answer(std::string text) {
    mcp::ToolAnswer answer;
    answer.structured = R"({"text":")" + text + "\"}";
    return answer;
  }

  void add_holding(int more) {
    std::lock_guard lock(m_mutex);
    m_holding += more;
    m_holding_changed.notify_all();
  }

  Reply held(std::string text) {
    add_holding(1);
    std::exception_ptr failure;
    try {
      while (!m_is_released) {
        AWAIT_DONE(m_released.wait());
      }
    } catch (...) {
      failure = std::current_exception();
    }
    add_holding(-1);
    if (failure) {
      std::rethrow_exception(failure);
    }
    co_return text_answer(text);
  }

  Reply hello(std::string, daemon::RequestContext context) {
    m_clients.push_back(context.client_number);
    co_return text_answer("hello");
  }

  static Reply ask(std::string, daemon::RequestContext context) {
    if (!context.input_responses.empty()) {
      co_return text_answer("answered");
    }
    mcp::InputRequired required;
    required.requests.push_back(
        {"name",
         mcp::InputKind::elicitation,
         R"({"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":)"
         R"({"name":{"type":"string"}}}})"});
    co_return mcp::Answer(std::move(required));
  }

  Reply steps(std::string, daemon::RequestContext context) {
    context.progress(1, 2, "");
    return held("steps");
  }

  Reply late(std::string, daemon::RequestContext context) {
    context.release();
    return held("late");
  }

  void bind() {
    m_binder.on_tool(k_http_tools[0],
                     [this](std::string arguments, daemon::RequestContext context) {
                       return hello(std::move(arguments), std::move(context));
                     });
    m_binder.on_tool(k_http_tools[1],
                     [this](std::string, daemon::RequestContext) { return held("hold"); });
    m_binder.on_tool(k_http_tools[2],
                     [this](std::string arguments, daemon::RequestContext context) {
                       return steps(std::move(arguments), std::move(context));
                     });
    m_binder.on_tool(k_http_tools[3], &HttpWorld::ask);
    m_binder.on_tool(k_http_tools[4],
                     [this](std::string arguments, daemon::RequestContext context) {
                       return late(std::move(arguments), std::move(context));
                     });
  }

  asio::awaitable<void> end() {
    m_http->stop_accepting();
    AWAIT_DONE(m_http->drain(std::chrono::milliseconds(0)));
    AWAIT_DONE(m_http->finish(std::chrono::seconds(2)));
    m_left = m_http->size();
  }

  TemporaryFolder m_folder;
  asio::io_context m_io{1};
  telemetry::Log m_log = telemetry::Log::none();
  telemetry::Counters m_counters;
  std::optional<mcp::Server> m_server;
  daemon::Binder m_binder{m_log};
  daemon::Services m_services{m_io, m_binder, m_log, m_counters};
  runtime::Condition m_released{m_io.get_executor()};
  bool m_is_released = false;
  std::vector<std::uint64_t> m_clients; // the server's thread only
  std::vector<hook::HookEvent> m_rung;  // the same
  std::mutex m_mutex;
  std::condition_variable m_holding_changed;
  int m_holding = 0;
  std::unique_ptr<http::HttpServer> m_http;
  bool m_is_stopped = false;
  std::size_t m_left = 0;
  std::thread m_thread;
};

} // namespace upskill::tests
