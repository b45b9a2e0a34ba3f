#include "skills/danger/hosts.h"

#include <algorithm>

namespace upskill::danger {
namespace {

constexpr std::size_t k_longest_host = 253; // bytes (RFC 1035)

// Other scripts too: they are what a look-alike is made of.
bool is_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
         || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t host_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && end - at <= k_longest_host && is_host_byte(text[end])) {
    ++end;
  }
  return end;
}

} // namespace

std::vector<HostPlace> find_hosts(std::string_view text, std::size_t most) {
  std::vector<HostPlace> found;
  for (std::size_t at = 0; found.size() < most;) {
    at = text.find("://", at);
    if (at == std::string_view::npos) {
      break;
    }
    at += 3;
    // A user before the host: `https://user@host`.
    std::size_t stop = std::min(text.find_first_of("/ \t\r\n\"'`<>)]", at), text.size());
    stop = std::min(stop, at + 2 * k_longest_host);
    std::size_t sign = text.substr(at, stop - at).rfind('@');
    std::size_t begin = sign == std::string_view::npos ? at : at + sign + 1;
    std::size_t end = host_end(text, begin);
    std::string_view host = text.substr(begin, end - begin);
    while (host.ends_with('.')) {
      host.remove_suffix(1);
    }
    if (host.find('.') != std::string_view::npos && host[0] != '.') {
      std::string lower(host);
      std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      });
      found.push_back({std::move(lower), begin, host.size()});
    }
  }
  return found;
}

std::string_view owner_of(std::string_view host) {
  std::size_t dot = host.rfind('.');
  dot = dot == std::string_view::npos || dot == 0 ? dot : host.rfind('.', dot - 1);
  return dot == std::string_view::npos ? host : host.substr(dot + 1);
}

bool is_one_step(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) {
    std::swap(a, b);
  }
  if (b.size() - a.size() > 1 || a == b) {
    return false;
  }
  std::size_t front = 0;
  while (front < a.size() && a[front] == b[front]) {
    ++front;
  }
  a.remove_prefix(front);
  b.remove_prefix(front);
  while (!a.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  return b.size() <= 1 || (a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0]);
}

} // namespace upskill::danger
