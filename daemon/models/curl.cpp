#include "daemon/models/curl.h"

#include "daemon/await.h"
#include "daemon/models/curl_transfer.h"

namespace upskill::models {

Http::Http(asio::any_io_executor executor)
    : m_loop(std::make_shared<Loop>(std::move(executor))) {}

Http::~Http() = default;

asio::awaitable<Result<HttpResponse>> Http::perform(HttpRequest request) {
  std::shared_ptr<Loop> loop = m_loop;
  CO_TRY(loop->load());
  Transfer transfer(loop, std::move(request));
  CO_TRY(transfer.start());
  AWAIT_DONE(transfer.done());
  co_return transfer.result();
}

std::size_t Http::running() const {
  return m_loop->running();
}

bool Http::is_loaded() const {
  return m_loop->is_loaded();
}

bool Http::rest() {
  if (m_loop->running() == 0) {
    m_loop->unload();
  }
  return !m_loop->is_loaded();
}

} // namespace upskill::models
