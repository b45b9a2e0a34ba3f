#include "daemon/binder.h"

#include "daemon/runtime/task_group.h"

namespace upskill::daemon {
namespace {

Error no_handler(const MethodInfo& method) {
  return {ErrorCode::unsupported, "`" + std::string(method.name) + "` is not offered here"};
}

Awaitable<mcp::Answer> nobody(Error error) {
  co_return tl::make_unexpected(std::move(error));
}

bool is_in_catalogue(const MethodInfo& method) {
  std::less<const MethodInfo*> before;
  return !before(&method, catalog().data()) && before(&method, catalog().data() + catalog().size());
}

std::size_t index_of(const MethodInfo& method) {
  return static_cast<std::size_t>(&method - catalog().data());
}

} // namespace

Binder::Binder(telemetry::Log& log)
    : m_log(log)
    , m_entries(catalog().size()) {}

Binder::Entry& Binder::entry_of(std::string_view method) {
  const MethodInfo* info = find_method(method);
  if (info == nullptr) {
    throw std::logic_error("`" + std::string(method) + "` is not in the catalogue");
  }
  Entry& entry = m_entries[index_of(*info)];
  if (entry.quick || entry.slow) {
    throw std::logic_error("`" + std::string(method) + "` is bound twice");
  }
  return entry;
}

const Binder::Entry& Binder::entry_of(const MethodInfo& method) const {
  static const Entry k_nobody;
  if (is_in_catalogue(method)) {
    return m_entries[index_of(method)];
  }
  auto found = m_tools.find(&method);
  return found == m_tools.end() ? k_nobody : found->second;
}

void Binder::on_tool(const MethodInfo& tool, ToolHandler handler) {
  if (is_in_catalogue(tool) || !m_tools.try_emplace(&tool, Entry{{}, handler, {}}).second) {
    throw std::logic_error("`" + std::string(tool.name) + "` is bound twice");
  }
}

void Binder::wait_first(std::string_view method,
                        std::function<bool()> is_ready,
                        std::function<asio::awaitable<void>()> ready) {
  const MethodInfo* info = find_method(method);
  if (info == nullptr || !m_entries[index_of(*info)].quick) {
    throw std::logic_error("`" + std::string(method) + "` is not bound as quick");
  }
  Entry& entry = m_entries[index_of(*info)];
  entry.is_ready = std::move(is_ready);
  entry.slow = [this, &entry, ready = std::move(ready)](std::string arguments,
                                                        RequestContext context) {
    return call_when_ready(entry, ready, std::move(arguments), std::move(context));
  };
}

Awaitable<mcp::Answer> Binder::call_when_ready(const Entry& entry,
                                               const std::function<asio::awaitable<void>()>& ready,
                                               std::string arguments,
                                               RequestContext context) {
  asio::awaitable<void> waiting = ready();
  co_await std::move(waiting);
  Result<mcp::ToolAnswer> answer = entry.quick(arguments, context);
  CO_TRY(answer);
  co_return mcp::Answer(std::move(*answer));
}

bool Binder::is_quick(const MethodInfo& method) const {
  const Entry& entry = entry_of(method);
  return !entry.slow || (entry.is_ready && entry.is_ready());
}

Result<mcp::ToolAnswer> Binder::call_quick(const MethodInfo& method,
                                           const std::string& arguments,
                                           RequestContext& context) {
  const Entry& entry = entry_of(method);
  if (!entry.quick) {
    return fail(no_handler(method));
  }
  try {
    return entry.quick(arguments, context);
  } catch (...) {
    return fail(explain(std::current_exception(), context.id));
  }
}

Awaitable<mcp::Answer>
Binder::call_slow(const MethodInfo& method, std::string arguments, RequestContext context) {
  if (!entry_of(method).slow) {
    return nobody(no_handler(method));
  }
  std::string request = context.id;
  return guarded(entry_of(method).slow(std::move(arguments), std::move(context)),
                 std::move(request));
}

std::vector<std::string_view> Binder::missing() const {
  std::vector<std::string_view> names;
  for (const MethodInfo& method : catalog()) {
    const Entry& entry = entry_of(method);
    if (!entry.quick && !entry.slow) {
      names.push_back(method.name);
    }
  }
  return names;
}

Error Binder::explain(const std::exception_ptr& failure, std::string_view request) {
  if (runtime::is_cancellation(failure)) {
    return {ErrorCode::cancelled, "the call was cancelled"};
  }
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& problem) {
    m_log.error("call {}: unhandled exception: {}", request, problem.what());
  } catch (...) {
    m_log.error("call {}: unhandled exception of an unknown type", request);
  }
  return {ErrorCode::internal,
          "the daemon failed at this call",
          "see `upskill daemon logs` for call " + std::string(request)};
}

} // namespace upskill::daemon
