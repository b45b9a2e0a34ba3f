#include "daemon/resource_backend.h"

namespace upskill::daemon {

asio::awaitable<Result<mcp::DirectoryPage>>
ResourceBackend::read_directory(std::string uri, std::string, RequestContext) {
  co_return fail(ErrorCode::not_found, "`" + uri + "` is no folder");
}

asio::awaitable<Result<mcp::Completion>>
ResourceBackend::complete(std::string, std::string, std::string, RequestContext) {
  co_return mcp::Completion{};
}

} // namespace upskill::daemon
