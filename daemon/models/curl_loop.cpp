#include "daemon/models/curl_loop.h"

#include "daemon/models/curl_transfer.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <vector>

namespace upskill::models {

Http::Loop::Loop(asio::any_io_executor executor)
    : m_executor(executor)
    , m_timer(executor, [this] { ring(); })
    , m_deadline(executor, [this] { end_late_ones(); }) {}

Http::Loop::~Loop() {
  unload();
}

Result<void> Http::Loop::load() {
  if (m_multi != nullptr) {
    return {};
  }
  TRY_ASSIGN(m_curl, CurlLibrary::load());
  m_multi = m_curl->multi_init();
  if (m_multi == nullptr) {
    m_curl.reset();
    return fail(ErrorCode::unavailable, "libcurl has no memory");
  }
  m_curl->multi_setopt(m_multi, CURLMOPT_SOCKETFUNCTION, &Loop::on_socket);
  m_curl->multi_setopt(m_multi, CURLMOPT_SOCKETDATA, this);
  m_curl->multi_setopt(m_multi, CURLMOPT_TIMERFUNCTION, &Loop::on_timer);
  m_curl->multi_setopt(m_multi, CURLMOPT_TIMERDATA, this);
  return {};
}

void Http::Loop::unload() {
  if (m_multi != nullptr) {
    m_curl->multi_cleanup(m_multi);
    m_multi = nullptr;
  }
  m_timer.clear();
  m_deadline.clear();
  m_call_at = Time::max();
  while (!m_sockets.empty()) {
    want(m_sockets.begin()->first, CURL_POLL_REMOVE);
  }
  m_curl.reset();
}

bool Http::Loop::add(CURL* easy, Transfer& transfer) {
  if (m_curl->multi_add_handle(m_multi, easy) != CURLM_OK) {
    return false;
  }
  m_transfers.insert(&transfer);
  return true;
}

void Http::Loop::remove(CURL* easy, Transfer& transfer) {
  m_curl->multi_remove_handle(m_multi, easy);
  m_transfers.erase(&transfer);
  if (m_transfers.empty()) { // at rest no alarm rings for nothing
    m_deadline.clear();
    m_timer.clear();
    if (m_call_at != Time::max()) {
      m_timer.set(m_rings_at = m_call_at);
    }
  }
}

void Http::Loop::expect(Time deadline) {
  if (!m_deadline.is_set() || deadline < m_looks_at) {
    m_deadline.set(m_looks_at = deadline);
  }
}

void Http::Loop::end_late_ones() {
  Time now = runtime::Clock::now();
  Time next = Time::max();
  std::vector<Transfer*> late;
  for (Transfer* transfer : m_transfers) {
    Time deadline = transfer->deadline();
    if (deadline <= now) {
      late.push_back(transfer);
    } else {
      next = std::min(next, deadline);
    }
  }
  for (Transfer* transfer : late) {
    transfer->expire();
  }
  if (next != Time::max()) {
    expect(next);
  }
}

int Http::Loop::on_socket(CURL*, curl_socket_t fd, int what, void* loop, void*) {
  static_cast<Loop*>(loop)->want(fd, what);
  return 0;
}

int Http::Loop::on_timer(CURLM*, long timeout_ms, void* loop) {
  static_cast<Loop*>(loop)->want_call(timeout_ms);
  return 0;
}

void Http::Loop::want_call(long timeout_ms) {
  m_call_at = Time::max();
  if (timeout_ms == 0 && !m_is_kicked) { // as at the beginning of each exchange
    m_is_kicked = true;
    asio::post(m_executor, [weak = weak_from_this()] {
      if (std::shared_ptr<Loop> here = weak.lock()) {
        here->m_is_kicked = false;
        here->act(CURL_SOCKET_TIMEOUT, 0);
      }
    });
  } else if (timeout_ms > 0) {
    m_call_at = runtime::Clock::now() + std::chrono::milliseconds(timeout_ms);
    if (!m_timer.is_set() || m_call_at < m_rings_at) {
      m_timer.set(m_rings_at = m_call_at);
    }
  }
}

void Http::Loop::ring() {
  if (m_call_at <= runtime::Clock::now()) {
    m_call_at = Time::max();
    act(CURL_SOCKET_TIMEOUT, 0);
  } else if (m_call_at != Time::max()) {
    m_timer.set(m_rings_at = m_call_at);
  }
}

void Http::Loop::want(curl_socket_t fd, int what) {
  auto at = m_sockets.find(fd);
  if (what == CURL_POLL_REMOVE) {
    if (at != m_sockets.end()) {
      at->second->is_gone = true;
      at->second->descriptor.release(); // libcurl closes it, or keeps it for later
      m_sockets.erase(at);
    }
    return;
  }
  if (at == m_sockets.end()) {
    auto made = std::make_shared<Socket>(m_executor);
    boost::system::error_code problem;
    made->descriptor.assign(fd, problem);
    if (problem) {
      return; // the exchange's deadlines end it
    }
    at = m_sockets.emplace(fd, std::move(made)).first;
  }
  at->second->wanted = what;
  watch(at->second);
}

// One wait for each direction that libcurl wants; after each event libcurl says what is next.
void Http::Loop::watch(const std::shared_ptr<Socket>& socket) {
  using asio::posix::descriptor_base;
  auto wait = [&](bool& is_waiting, descriptor_base::wait_type type, int event) {
    if (is_waiting) {
      return;
    }
    is_waiting = true;
    bool Socket::*flag = event == CURL_CSELECT_IN ? &Socket::is_reading : &Socket::is_writing;
    std::weak_ptr<Loop> weak = weak_from_this();
    socket->descriptor.async_wait(
        type, [weak, socket, event, flag](boost::system::error_code problem) {
          (*socket).*flag = false;
          std::shared_ptr<Loop> here = weak.lock();
          if (here && !socket->is_gone && problem != asio::error::operation_aborted) {
            here->ready(socket, event);
          }
        });
  };
  if ((socket->wanted & CURL_POLL_IN) != 0) {
    wait(socket->is_reading, descriptor_base::wait_read, CURL_CSELECT_IN);
  }
  if ((socket->wanted & CURL_POLL_OUT) != 0) {
    wait(socket->is_writing, descriptor_base::wait_write, CURL_CSELECT_OUT);
  }
}

void Http::Loop::ready(const std::shared_ptr<Socket>& socket, int event) {
  int wanted = event == CURL_CSELECT_IN ? CURL_POLL_IN : CURL_POLL_OUT;
  if ((socket->wanted & wanted) == 0) {
    return; // libcurl does not want it any more
  }
  act(socket->descriptor.native_handle(), event);
  if (!socket->is_gone) {
    watch(socket); // libcurl tells only of changes
  }
}

void Http::Loop::act(curl_socket_t fd, int events) {
  if (m_multi == nullptr) {
    return;
  }
  int running = 0;
  m_curl->multi_socket_action(m_multi, fd, events, &running);
  int left = 0;
  while (CURLMsg* message = m_curl->multi_info_read(m_multi, &left)) {
    if (message->msg == CURLMSG_DONE) {
      char* transfer = nullptr;
      m_curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      reinterpret_cast<Transfer*>(transfer)->finish(message->data.result);
    }
  }
}

} // namespace upskill::models
