#include "daemon/models/curl_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace upskill::models {
namespace {

constexpr std::size_t k_longest_head = 64u << 10; // bytes of all header lines
constexpr long k_piece = 4096; // bytes that are read at a time; 16 KB for each exchange otherwise
constexpr const char* k_never_proxied = "localhost,127.0.0.1,::1";

std::string variable(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::optional<std::string> value = environment ? environment(name) : std::nullopt;
    if (value && !value->empty()) {
      return *value;
    }
  }
  return {};
}

std::string seconds(runtime::Clock::duration time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

} // namespace

Http::Transfer::Transfer(std::shared_ptr<Loop> loop, HttpRequest request)
    : m_loop(std::move(loop))
    , m_request(std::move(request))
    , m_where(host_and_port(m_request.url))
    , m_changed(m_loop->executor()) {}

Http::Transfer::~Transfer() {
  if (m_is_added) {
    if (may_be_resolving()) {
      m_loop->curl().keep_code();
    }
    m_loop->remove(m_easy, *this);
  }
  if (m_easy != nullptr) {
    m_loop->curl().easy_cleanup(m_easy);
  }
  m_loop->curl().slist_free_all(m_headers);
}

Result<void> Http::Transfer::start() {
  CurlLibrary& curl = m_loop->curl();
  m_easy = curl.easy_init();
  if (m_easy == nullptr) {
    return fail(ErrorCode::unavailable, "libcurl has no memory");
  }
  for (const auto& [name, value] : m_request.headers) {
    m_headers = curl.slist_append(m_headers, (name + ": " + value).c_str());
  }
  m_headers = curl.slist_append(m_headers, "expect:"); // no round trip before a long body
  set(CURLOPT_URL, m_request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L); // getaddrinfo cannot be stopped, and is not waited for
  set(CURLOPT_BUFFERSIZE, k_piece);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_ACCEPT_ENCODING, m_request.keeps_encoding ? nullptr : "");
  set(CURLOPT_USERAGENT, "upskilld");
  set(CURLOPT_HTTPHEADER, m_headers);
  if (m_request.method == "GET") {
    set(CURLOPT_HTTPGET, 1L);
  } else {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, m_request.body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(m_request.body.size()));
  }
  auto connect = std::chrono::ceil<std::chrono::milliseconds>(m_request.deadlines.connect);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect.count()));
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set_proxy();
  m_begun = runtime::Clock::now();
  m_last_byte = m_begun;
  m_is_added = m_loop->add(m_easy, *this);
  if (!m_is_added) {
    return fail(ErrorCode::unavailable, "libcurl does not take another exchange");
  }
  m_loop->expect(deadline());
  return {};
}

// An empty proxy keeps libcurl from looking into the daemon's own environment.
void Http::Transfer::set_proxy() {
  const Environment& of_call = m_request.environment;
  std::string proxy = m_request.url.starts_with("https:")
                          ? variable(of_call, {"https_proxy", "HTTPS_PROXY"})
                          : variable(of_call, {"http_proxy"}); // HTTP_PROXY is a header of CGI's
  if (proxy.empty()) {
    proxy = variable(of_call, {"all_proxy", "ALL_PROXY"});
  }
  std::string without = variable(of_call, {"no_proxy", "NO_PROXY"});
  without = without == "*" ? without : without + (without.empty() ? "" : ",") + k_never_proxied;
  if (m_request.may_connect) {
    guard(proxy, without);
  }
  set(CURLOPT_PROXY, proxy.c_str());
  set(CURLOPT_NOPROXY, without.c_str());
  std::string authorities = variable(of_call, {"SSL_CERT_FILE"});
  if (!authorities.empty()) {
    set(CURLOPT_CAINFO, authorities.c_str());
  }
}

// Its thread then goes on alone, and returns into libcurl.
bool Http::Transfer::may_be_resolving() const {
  curl_off_t resolved_us = 0;
  m_loop->curl().easy_getinfo(m_easy, CURLINFO_NAMELOOKUP_TIME_T, &resolved_us);
  return resolved_us == 0 && !m_is_resolved;
}

asio::awaitable<void> Http::Transfer::done() {
  while (!m_is_done) {
    co_await m_changed.wait(); // throws at the second try when the coroutine is cancelled
  }
}

Result<HttpResponse> Http::Transfer::result() {
  if (m_error) {
    return fail(*m_error);
  }
  return std::move(m_response);
}

void Http::Transfer::finish(CURLcode code) {
  if (code != CURLE_OK) {
    fail_with(m_refusal ? *m_refusal : error_of(code));
  }
  bool has_no_address = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
  m_is_resolved = code == CURLE_OK || has_no_address;
  if (m_request.found_nobody != nullptr) {
    *m_request.found_nobody = code == CURLE_COULDNT_CONNECT || has_no_address;
  }
  long status = 0;
  m_loop->curl().easy_getinfo(m_easy, CURLINFO_RESPONSE_CODE, &status);
  m_response.status = static_cast<int>(status);
  char* address = nullptr;
  m_loop->curl().easy_getinfo(m_easy, CURLINFO_PRIMARY_IP, &address);
  m_response.address = address == nullptr || m_is_proxied ? "" : address;
  m_is_done = true;
  m_changed.notify_all();
}

std::size_t Http::Transfer::on_header(char* data, std::size_t, std::size_t count, void* self) {
  static_cast<Transfer*>(self)->take_header({data, count});
  return count;
}

std::size_t Http::Transfer::on_body(char* data, std::size_t, std::size_t count, void* self) {
  return static_cast<Transfer*>(self)->take_body({data, count}) ? count : CURL_WRITEFUNC_ERROR;
}

void Http::Transfer::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    m_response.headers.clear(); // what came before was 100, or a proxy's
    return;
  }
  std::size_t colon = line.find(':');
  std::size_t size = 0;
  for (const auto& [name, value] : m_response.headers) {
    size += name.size() + value.size();
  }
  if (colon == std::string_view::npos || size + line.size() > k_longest_head) {
    return;
  }
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view value = line.substr(colon + 1);
  std::size_t first = std::min(value.find_first_not_of(" \t"), value.size());
  value.remove_prefix(first);
  value = value.substr(0, value.find_last_not_of(" \t\r\n") + 1);
  m_response.headers.emplace_back(std::move(name), value);
}

bool Http::Transfer::take_body(std::string_view bytes) {
  m_last_byte = runtime::Clock::now();
  bool is_first = m_size == 0;
  m_size += bytes.size();
  if (is_first) {
    m_loop->expect(deadline()); // it may be earlier than that of the first byte; later ones are not
    if (m_request.on_head) {
      long status = 0;
      m_loop->curl().easy_getinfo(m_easy, CURLINFO_RESPONSE_CODE, &status);
      m_request.on_head(static_cast<int>(status), m_response.headers);
    }
  }
  if (m_size > m_request.longest_body) {
    fail_with(
        {ErrorCode::too_large,
         fmt::format("the answer of `{}` is longer than {} bytes", m_where, m_request.longest_body),
         {}});
    return false;
  }
  if (m_request.on_body) {
    if (Result<void> taken = m_request.on_body(bytes); !taken) {
      fail_with(std::move(taken).error());
      return false;
    }
  }
  return true;
}

runtime::Clock::time_point Http::Transfer::deadline() const {
  if (m_is_done) {
    return runtime::Clock::time_point::max();
  }
  const HttpDeadlines& limits = m_request.deadlines;
  runtime::Clock::duration part = m_size == 0 ? limits.first_byte : limits.idle;
  return std::min(m_begun + limits.total, m_last_byte + part);
}

void Http::Transfer::expire() {
  const HttpDeadlines& limits = m_request.deadlines;
  runtime::Clock::time_point now = runtime::Clock::now();
  std::string late;
  if (now >= m_begun + limits.total) {
    late = fmt::format("took longer than {}", seconds(limits.total));
  } else if (m_size == 0 && now >= m_begun + limits.first_byte) {
    late = fmt::format("did not begin to answer within {}", seconds(limits.first_byte));
  } else if (m_size > 0 && now >= m_last_byte + limits.idle) {
    late = fmt::format("was silent for {} within its answer", seconds(limits.idle));
  } else {
    return; // another byte has come
  }
  fail_with({ErrorCode::timed_out, fmt::format("`{}` {}", m_where, late), {}});
  m_is_done = true;
  m_changed.notify_all();
}

void Http::Transfer::fail_with(Error error) {
  if (!m_error) {
    m_error = std::move(error); // the first reason counts
  }
}

Error Http::Transfer::error_of(CURLcode code) const {
  auto unavailable = [&](std::string_view what, std::string hint) {
    return Error{ErrorCode::unavailable, fmt::format("`{}` {}", m_where, what), std::move(hint)};
  };
  switch (code) {
  case CURLE_OPERATION_TIMEDOUT: // only of connecting: the other deadlines are ours
    return {ErrorCode::timed_out,
            fmt::format("`{}` did not take the connection within {}",
                        m_where,
                        seconds(m_request.deadlines.connect)),
            {}};
  case CURLE_COULDNT_CONNECT:
    return unavailable("takes no connections", "start the server, or check its address");
  case CURLE_COULDNT_RESOLVE_HOST:
    return unavailable("is not known to the name service", "check its address and the network");
  case CURLE_COULDNT_RESOLVE_PROXY:
    return unavailable("cannot be reached: the proxy is not known to the name service",
                       "check `https_proxy` and `http_proxy`");
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
    return unavailable("has no certificate that this system trusts",
                       "name the authority's file in `SSL_CERT_FILE`");
  case CURLE_GOT_NOTHING:
  case CURLE_PARTIAL_FILE:
  case CURLE_RECV_ERROR:
  case CURLE_SEND_ERROR:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
    return unavailable("cut the connection", {});
  default:
    return unavailable(fmt::format("cannot be asked: {}", m_loop->curl().easy_strerror(code)), {});
  }
}

} // namespace upskill::models
