#include "daemon/proxy/exchange.h"

#include "daemon/await.h"
#include "daemon/models/wire_json.h"
#include "daemon/runtime/offload.h"
#include "daemon/runtime/timeout.h"
#include "protocol/base/hash.h"
#include "protocol/http/status.h"

#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/socket.h>

#include <utility>
#include <vector>

namespace upskill::proxy {
namespace {

constexpr std::size_t k_piece = 64u << 10; // bytes that are read or written at a time

int status_of(const Error& error) {
  return error.code == ErrorCode::timed_out ? 504 : 502;
}

} // namespace

Proxy::Exchange::Exchange(Proxy& proxy, UniqueFd socket)
    : m_proxy(proxy)
    , m_socket(proxy.m_executor, socket.release())
    , m_changed(proxy.m_executor) {
  ++m_proxy.m_connections;
  m_parser.limit_body(m_proxy.m_options.limits.request);
}

Proxy::Exchange::~Exchange() {
  --m_proxy.m_connections;
  m_proxy.m_held -= m_held;
}

Proxy::Exchange::Account::Account(Exchange& exchange, Route route, std::string_view body)
    : m_exchange(exchange)
    , m_route(route)
    , m_is_open(route.is_answered) {
  if (m_is_open) {
    m_exchange.m_proxy.m_recording.take_request(body);
  }
}

// Cancelled, or something was thrown: who knows what it took.
Proxy::Exchange::Account::~Account() {
  answered(200, UsageReader(m_route.wire));
  if (!m_exchange.m_is_over) {
    m_exchange.end(false);
  }
}

void Proxy::Exchange::Account::answered(int status, const UsageReader& reader) {
  if (std::exchange(m_is_open, false)) {
    m_exchange.m_proxy.m_recording.take_answer(m_route.wire, status, reader);
  }
}

void Proxy::Exchange::Account::failed() {
  if (std::exchange(m_is_open, false)) {
    m_exchange.m_proxy.m_recording.take_failure();
  }
}

asio::awaitable<void> Proxy::Exchange::run(std::shared_ptr<Exchange> self) {
  Exchange& here = *self;
  AWAIT(Result<std::optional<Route>> route,
        runtime::with_timeout(here.m_proxy.m_options.limits.read, here.read(), "the agent"));
  if (!route) {
    co_return; // it is gone, or too slow
  }
  runtime::TaskGroup& tasks = here.m_proxy.m_tasks;
  std::vector<runtime::TaskId> helpers;
  if (*route) {
    bool is_replay = here.m_proxy.m_options.records && here.m_proxy.m_options.records->is_replay;
    helpers.push_back(tasks.start(is_replay ? replay(self, **route) : forward(self, **route)));
    helpers.push_back(tasks.start(watch(self)));
  }
  while (!here.m_is_left && (!here.m_is_over || !here.m_out.empty())) {
    if (here.m_out.empty()) {
      AWAIT_DONE(here.m_changed.wait());
      continue;
    }
    AWAIT(
        Result<std::size_t> written,
        runtime::with_timeout(here.m_proxy.m_options.limits.write, here.write_some(), "the agent"));
    here.m_is_left = here.m_is_left || !written;
  }
  for (runtime::TaskId one : helpers) { // nobody is left to hear it, or it is done
    tasks.cancel(one);
  }
}

// What an agent sends behind its request is not read; then nothing is known of its end.
asio::awaitable<void> Proxy::Exchange::watch(std::shared_ptr<Exchange> self) {
  auto token = asio::as_tuple(asio::use_awaitable);
  auto [problem] =
      co_await self->m_socket.async_wait(asio::posix::descriptor_base::wait_read, token);
  char byte = 0;
  if (!problem && ::recv(self->m_socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
    self->m_is_left = true;
    self->m_changed.notify_all();
  }
}

asio::awaitable<Result<std::size_t>> Proxy::Exchange::read_some(char* bytes, std::size_t size) {
  auto token = asio::as_tuple(asio::use_awaitable);
  auto [problem, count] = co_await m_socket.async_read_some(asio::buffer(bytes, size), token);
  if (problem) {
    co_return fail(ErrorCode::unavailable, "the agent hung up");
  }
  co_return count;
}

asio::awaitable<Result<std::optional<Route>>> Proxy::Exchange::read() {
  std::string bytes(k_piece, '\0');
  std::string rest;
  std::optional<Route> route;
  while (m_parser.state() != http::RequestParser::State::done) {
    AWAIT(Result<std::size_t> count, read_some(bytes.data(), bytes.size()));
    CO_TRY(count);
    rest.append(bytes, 0, *count);
    for (std::size_t taken = 1; taken > 0 && !rest.empty();) {
      bool was_head = m_parser.state() == http::RequestParser::State::head;
      taken = m_parser.take(rest);
      rest.erase(0, taken);
      if (m_parser.state() == http::RequestParser::State::failed) {
        refuse(m_parser.status(), "this is no request that can be handed on");
        co_return std::optional<Route>();
      }
      if (was_head && m_parser.state() != http::RequestParser::State::head) {
        route = judged(); // before any of its body is taken
        if (!route) {
          co_return route;
        }
      }
      if (m_parser.state() == http::RequestParser::State::done) {
        break; // what comes behind it is not asked for
      }
      if (m_parser.body().size() > m_held && !hold(m_parser.body().size() - m_held)) {
        refuse(413, "the run holds too many bytes");
        co_return std::optional<Route>();
      }
    }
  }
  co_return route;
}

std::optional<Route> Proxy::Exchange::judged() {
  const http::Head& head = m_parser.head();
  const ProxyLimits& limits = m_proxy.m_options.limits;
  if (!equal_in_constant_time(token_of(head), m_proxy.m_token)) {
    refuse(401, "this proxy is of one run of an agent, whose token is missing");
    return std::nullopt;
  }
  std::optional<Route> route = route_of(head.method, head.target, m_proxy.path());
  if (!route) {
    refuse(404, "only models are asked through this proxy");
    return std::nullopt;
  }
  if (m_parser.is_http_1_0()) {
    refuse(505, "the answer comes in chunks, which HTTP/1.0 has not");
    return std::nullopt;
  }
  if (m_parser.content_length().value_or(0) > limits.request) {
    refuse(413, fmt::format("a request has at most {} bytes here", limits.request));
    return std::nullopt;
  }
  if (m_proxy.m_recording.measured().requests >= limits.requests) {
    refuse(403, fmt::format("this run has asked {} times, which is all it may", limits.requests));
    return std::nullopt;
  }
  if (m_parser.expects_continue()) {
    m_out += "HTTP/1.1 100 Continue\r\n\r\n";
    // Too short to wait for: the buffer of a socket has room for it.
    static_cast<void>(::write(m_socket.native_handle(), m_out.data(), m_out.size()));
    m_out.clear();
  }
  return route;
}

models::HttpRequest Proxy::Exchange::request_of(Route route) {
  const http::Head& head = m_parser.head();
  const Upstream& upstream = m_proxy.m_options.upstream;
  models::HttpRequest request;
  request.method = head.method;
  request.url = upstream.origin() + forwarded_target(head.target);
  const bool is_list = head.method == "GET"; // which is asked for alike on all wires
  request.headers =
      forwarded_headers(head, is_list ? wire_by_token(head) : route.wire, upstream.key);
  request.body = std::move(m_parser.body());
  request.longest_body = m_proxy.m_options.limits.answer;
  request.environment = m_proxy.m_options.environment;
  return request;
}

asio::awaitable<void> Proxy::Exchange::forward(std::shared_ptr<Exchange> self, Route route) {
  Exchange& here = *self;
  bool is_kept = here.m_proxy.m_options.records.has_value();
  nlohmann::json asked = is_kept ? here.asked() : nlohmann::json();
  models::HttpRequest request = here.request_of(route);
  Account account(here, route, request.body);
  UsageReader reader(route.wire);
  RecordedAnswer answer;
  request.on_head = [&here](int status, const models::Headers& headers) {
    here.begin(status, headers);
  };
  request.on_body = [&here, &reader, &answer, is_kept](std::string_view bytes) {
    reader.take(bytes);
    if (is_kept) {
      answer.body += bytes;
    }
    return here.send(bytes);
  };
  AWAIT(Result<models::HttpResponse> response, here.m_proxy.m_http.perform(std::move(request)));
  reader.finish();
  if (!response) {
    if (here.m_is_begun) { // cut off
      account.answered(here.m_status, UsageReader(route.wire));
      here.end(false);
    } else {
      account.failed();
      here.refuse(status_of(response.error()), response.error().message);
    }
    co_return;
  }
  account.answered(response->status, reader);
  if (!here.m_is_begun) { // an answer without a body
    here.begin(response->status, response->headers);
  }
  // Before the agent has its end: what it asks next may be its last.
  if (is_kept && response->status == 200 && (reader.is_complete() || !route.is_answered)) {
    answer.content_type = models::header(response->headers, "content-type");
    AWAIT_DONE(here.keep(std::move(asked), std::move(answer)));
  }
  here.end(true);
}

asio::awaitable<void> Proxy::Exchange::keep(nlohmann::json asked, RecordedAnswer answer) {
  const ProxyRecords& records = *m_proxy.m_options.records;
  auto add = [&records, &asked, &answer] {
    return records.cassette.add(asked, records.sample, answer);
  };
  AWAIT(Result<void> added, runtime::offload(records.pool, std::move(add)));
  if (!added && !m_proxy.m_problem) {
    m_proxy.m_problem = added.error();
  }
}

asio::awaitable<void> Proxy::Exchange::replay(std::shared_ptr<Exchange> self, Route route) {
  Exchange& here = *self;
  const ProxyRecords& records = *here.m_proxy.m_options.records;
  Account account(here, route, here.m_parser.body());
  nlohmann::json asked = here.asked();
  auto find = [&records, &asked] { return records.cassette.find(asked, records.sample); };
  AWAIT(Result<RecordedAnswer> answer, runtime::offload(records.pool, std::move(find)));
  if (!answer) {
    account.failed();
    if (route.is_answered) { // agents do without the others
      here.m_proxy.m_problem = here.m_proxy.m_problem.value_or(answer.error());
    }
    here.refuse(404, answer.error().message);
    co_return;
  }
  UsageReader reader(route.wire);
  reader.take(answer->body);
  reader.finish();
  account.answered(answer->status, reader);
  here.begin(answer->status, {{"content-type", answer->content_type}});
  here.end(here.send(answer->body).has_value());
}

nlohmann::json Proxy::Exchange::asked() {
  const http::Head& head = m_parser.head();
  return normalised_request(
      head.method, head.target, m_parser.body(), m_proxy.m_options.records->places);
}

asio::awaitable<Result<std::size_t>> Proxy::Exchange::write_some() {
  auto token = asio::as_tuple(asio::use_awaitable);
  std::size_t size = std::min(m_out.size(), k_piece);
  std::string piece = m_out.substr(0, size);
  m_out.erase(0, size);
  auto [problem, count] = co_await asio::async_write(m_socket, asio::buffer(piece), token);
  if (problem) {
    co_return fail(ErrorCode::unavailable, "the agent hung up");
  }
  std::size_t freed = std::min(m_held, count);
  m_held -= freed;
  m_proxy.m_held -= freed;
  co_return count;
}

// In the form that the vendors share: `error.message`.
void Proxy::Exchange::refuse(int status, std::string_view why) {
  if (status < 500) {
    m_proxy.m_recording.take_refusal();
  }
  nlohmann::json body = {{"type", "error"},
                         {"error", {{"type", "upskill_proxy"}, {"message", std::string(why)}}}};
  std::string text = models::dump(body);
  m_out += fmt::format("HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
                       "Connection: close\r\n\r\n{}",
                       status,
                       http::reason_of(status),
                       text.size(),
                       text);
  m_is_begun = true;
  m_is_over = true;
  m_changed.notify_all();
}

void Proxy::Exchange::begin(int status, const models::Headers& headers) {
  m_is_begun = true;
  m_status = status;
  m_is_chunked = status != 204 && status != 304;
  m_out += fmt::format("HTTP/1.1 {} {}\r\n", status, http::reason_of(status));
  for (const auto& [name, value] : returned_headers(headers)) {
    m_out += name + ": " + value + "\r\n";
  }
  m_out += m_is_chunked ? "Transfer-Encoding: chunked\r\n" : "";
  m_out += "Connection: close\r\n\r\n";
  m_changed.notify_all();
}

Result<void> Proxy::Exchange::send(std::string_view bytes) {
  if (!hold(bytes.size())) {
    return fail(ErrorCode::too_large, "the run holds too many bytes");
  }
  if (!bytes.empty() && m_is_chunked) {
    m_out += fmt::format("{:x}\r\n", bytes.size());
    m_out += bytes;
    m_out += "\r\n";
    m_changed.notify_all();
  }
  return {};
}

// One that was cut off has no last chunk, so that the agent sees it.
void Proxy::Exchange::end(bool is_whole) {
  m_out += is_whole && m_is_chunked ? "0\r\n\r\n" : "";
  m_is_over = true;
  m_changed.notify_all();
}

bool Proxy::Exchange::hold(std::size_t bytes) {
  if (m_proxy.m_held + bytes > m_proxy.m_options.limits.held) {
    return false;
  }
  m_held += bytes;
  m_proxy.m_held += bytes;
  return true;
}

} // namespace upskill::proxy
