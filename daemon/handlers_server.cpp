#include "daemon/handlers_server.h"

#include "daemon/binder.h"
#include "daemon/daemon.h"
#include "daemon/job_work.h"

#include <unistd.h>

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_max_lines = 10'000;

Result<DaemonLogsResult> last_lines(const telemetry::Log& log, std::int64_t wanted) {
  if (wanted < 0) {
    return fail(ErrorCode::invalid_argument, "params.lines: is negative");
  }
  auto count = static_cast<std::size_t>(std::min(wanted, k_max_lines));
  DaemonLogsResult result;
  result.path = log.path();
  TRY_ASSIGN(result.lines, log.last_lines(count));
  return result;
}

} // namespace

void bind_server_handlers(Binder& binder, Daemon& daemon) {
  binder.on(k_status, [&daemon](const NoParams&, RequestContext&) -> Result<StatusResult> {
    return daemon.status();
  });
  binder.on(k_daemon_status,
            [&daemon](const NoParams&, RequestContext&) -> Result<DaemonStatusResult> {
              return daemon.daemon_status();
            });
  binder.on(
      k_job, [&daemon, find = work_of_tools(binder)](JobParams params, RequestContext context) {
        return jobs::answer_job_call(daemon.jobs(), find, std::move(params), std::move(context));
      });
  binder.on(k_daemon_stop, [&daemon](const NoParams&, RequestContext&) -> Result<DaemonStopResult> {
    daemon.request_stop("a client asked for it");
    return DaemonStopResult{::getpid()};
  });
  binder.on(k_daemon_logs,
            [&daemon](const DaemonLogsParams& params, RequestContext&) -> Result<DaemonLogsResult> {
              return last_lines(daemon.log(), params.lines);
            });
}

} // namespace upskill::daemon
