#include "daemon/models/curl_transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>

// Which addresses an exchange may connect to. What is asked are the addresses themselves, at the
// moment at which they are used: a name may have another one each time that somebody looks.
namespace upskill::models {
namespace {

// Of `host:port` or `[host]:port`.
std::string_view host_of(std::string_view where) {
  return where.starts_with('[') ? where.substr(1, where.find(']') - 1)
                                : where.substr(0, where.rfind(':'));
}

bool equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// As `no_proxy` is read everywhere: hosts, and domains with or without a dot in front.
bool has_host(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    std::size_t end = std::min(list.find_first_of(", "), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (one.starts_with('.')) {
      one.remove_prefix(1);
    }
    bool is_end = !one.empty() && host.size() > one.size()
                  && equal(host.substr(host.size() - one.size()), one)
                  && host[host.size() - one.size() - 1] == '.';
    if (one == "*" || is_end || (!one.empty() && equal(host, one))) {
      return true;
    }
  }
  return false;
}

} // namespace

// Whether a proxy is asked is decided here and not by libcurl, so that the proxy's own address is
// told from those of the host.
void Http::Transfer::guard(std::string& proxy, std::string& without) {
  m_is_proxied = !proxy.empty() && !has_host(without, host_of(m_where));
  without.clear();
  if (m_is_proxied) {
    return;
  }
  proxy.clear();
  set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

bool Http::Transfer::may_connect(const sockaddr& address) {
  Result<void> may = m_request.may_connect(address);
  if (!may && !m_refusal) {
    m_refusal = std::move(may).error();
  }
  return may.has_value();
}

curl_socket_t Http::Transfer::on_open(void* self, curlsocktype, curl_sockaddr* address) {
  if (!static_cast<Transfer*>(self)->may_connect(address->addr)) {
    return CURL_SOCKET_BAD; // it tries the next address
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// The only word about a connection that was kept from another exchange.
int Http::Transfer::on_request(void* self, char* text, char*, int port, int) {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } address{};

  if (::inet_pton(AF_INET, text, &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(static_cast<std::uint16_t>(port));
  } else if (::inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1) {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  }
  return static_cast<Transfer*>(self)->may_connect(address.any) ? CURL_PREREQFUNC_OK
                                                                : CURL_PREREQFUNC_ABORT;
}

} // namespace upskill::models
