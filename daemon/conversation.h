#pragma once
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "daemon/services.h"
#include "protocol/mcp/session.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upskill::daemon {

// One client's mcp::Session and the calls that it has running, whatever carries its messages: a
// socket, an agent's pipes, HTTP. The owner gives what the session says to start and to cancel to
// take(), and carries what the calls have to say.
// Owner: ClientSession, or a session or request of daemon/http. Thread: the daemon's. Lifetime: not
// shorter than its tasks: is_over() must be true before the destructor.
class Conversation {
public:
  using Time = runtime::Clock::time_point;

  // Where the bytes of a call go, whole lines. Called on the daemon's thread, also from within
  // take() and cancel().
  class Carrier {
  public:
    virtual ~Carrier() = default;

    // What comes before the answer: progress, log messages, questions to the client.
    virtual void say(mcp::CallId call, std::string_view bytes) = 0;
    // The answer of a call, which has ended.
    virtual void finish(mcp::CallId call, std::string_view bytes) = 0;
    // Whether there is room for messages that nobody waits for (progress, logs).
    virtual bool has_room(mcp::CallId call) const = 0;

    // The call will take long: a client that can come back for the rest need not stay.
    virtual void release(mcp::CallId call) { (void)call; }

    // A task has ended that nobody waited for: is_over() may have changed.
    virtual void task_ended() = 0;
  };

  Conversation(Services& services,
               Carrier& carrier,
               std::uint64_t number,
               mcp::Session protocol,
               std::string principal);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  mcp::Session& protocol() { return m_protocol; }

  const mcp::Session& protocol() const { return m_protocol; }

  // Whose work its calls are from now on; at first its own number's.
  void act_for(std::uint64_t client) { m_client = client; }

  // Another client's end in place of this one (handover), which runs there; no call may be running.
  void replace(mcp::Session protocol, std::string principal, AgentPlace place);

  // Cancels and starts what `outcome` says, and empties these lists of it. The answers of quick
  // calls are added to its output.
  void take(mcp::Outcome& outcome);
  // The same for one call; a quick one's answer is added to `output`.
  void start(mcp::Call call, std::string& output);

  // Stops a call, which gets no answer. Unknown ones are left alone.
  void cancel(mcp::CallId id);
  // Stops all of them: whoever waited has been answered, or is gone.
  void abandon();

  // Calls that run, or wait for what the client was asked.
  bool is_idle() const { return m_calls.empty(); }

  // Whether the call is one of those.
  bool has(mcp::CallId id) const { return m_calls.contains(id); }

  // Nothing refers to it any more.
  bool is_over() const { return m_tasks.size() == 0; }

  // The ids (JSON text) of the calls that is_idle() means, for the handover table.
  std::vector<std::string_view> client_ids() const;

  // Whether they are others than when this was last asked.
  bool ids_have_changed() { return std::exchange(m_ids_have_changed, false); }

  // Ends what the client has been asked for too long; whether it wants to be looked at again.
  bool tick(Time now);

private:
  struct RunningCall {
    std::optional<runtime::TaskId> task = {};
    std::stop_source stopping = {};
    std::string client_id = {};
    Time window = {}; // within which progress was reported that often
    unsigned reports = 0;
    std::size_t logs = 0;
    std::optional<Time> answer_limit = {}; // of what the client was asked
  };

  RequestContext context_of(mcp::Call& call, CallContext caller);
  void answer_quickly(const mcp::Call& call, RequestContext& context, std::string& output);
  asio::awaitable<void> run(mcp::Call call, RequestContext context, std::string binding);
  asio::awaitable<Result<mcp::Answer>> ask(mcp::Call call, RequestContext context);
  asio::awaitable<Result<mcp::Answer>> ask_resources(mcp::Call call, RequestContext context);
  asio::awaitable<Result<mcp::Answer>> ask_prompts(mcp::Call call, RequestContext context);
  asio::awaitable<Result<mcp::Answer>> ask_skills(mcp::Call call, RequestContext context);
  asio::awaitable<Result<mcp::Answer>> ask_tasks(mcp::Call call, RequestContext context);
  void ended(mcp::CallId id, std::string_view name, Result<mcp::Answer> result);
  void
  answer(mcp::CallId id, std::string_view name, Result<mcp::Answer> result, std::string& output);
  void report_progress(mcp::CallId id, double done, std::optional<double> total, std::string_view);
  void report_log(mcp::CallId id, mcp::LogLevel, std::string_view logger, std::string_view data);
  void note_end(std::string_view name, const std::string& request, Time start, const Error* error);

  Services& m_services;
  Carrier& m_carrier;
  std::uint64_t m_number;
  std::uint64_t m_client;
  mcp::Session m_protocol;
  std::string m_principal;
  AgentPlace m_place = {};
  runtime::TaskGroup m_tasks;
  std::unordered_map<mcp::CallId, RunningCall> m_calls;
  bool m_ids_have_changed = false;
};

} // namespace upskill::daemon
