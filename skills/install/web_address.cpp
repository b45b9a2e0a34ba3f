#include "skills/install/web_address.h"

#include "protocol/base/utf8.h"
#include "skills/install/source_parts.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace upskill::install {
namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

tl::unexpected<Error> no_address(std::string_view text, std::string_view why) {
  std::string_view part = utf8_prefix(text.substr(0, text.find('?')), 200); // a query has secrets
  return fail(ErrorCode::invalid_argument,
              in_backticks(part) + " is no address: " + std::string(why),
              "give one like `https://example.org/skills/pdf.skill`");
}

bool has_strange_characters(std::string_view text) {
  constexpr std::string_view k_never = "\"<>\\^`{|}";
  return std::ranges::any_of(text, [&](char c) {
    return c <= 0x20 || c >= 0x7f || k_never.find(c) != std::string_view::npos;
  });
}

bool has_bad_escape(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    int high = at + 2 < text.size() ? hex_value(text[at + 1]) : -1;
    int low = at + 2 < text.size() ? hex_value(text[at + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0)) {
      return true;
    }
  }
  return false;
}

bool is_host_name(std::string_view host) {
  if (host.empty() || host.size() > 253 || host.starts_with('.')
      || host.find("..") != std::string_view::npos) {
    return false;
  }
  return std::ranges::all_of(
      host, [](char c) { return is_alphanumeric(c) || c == '-' || c == '.' || c == '_'; });
}

// RFC 3986, 5.2.4.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool ends_in_folder = false;
  while (!path.empty()) {
    path.remove_prefix(1); // the slash before each part
    std::size_t end = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, end);
    path.remove_prefix(end);
    ends_in_folder = part == "." || part == "..";
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!ends_in_folder) {
      parts.push_back(part);
    }
  }
  std::string clean;
  for (std::string_view part : parts) {
    clean.append("/").append(part);
  }
  return clean.empty() || ends_in_folder ? clean + "/" : clean;
}

bool says_who_asks(std::string_view key) {
  constexpr std::array<std::string_view, 8> k_within{
      "token", "secret", "passw", "signature", "credential", "apikey", "accesskey", "xamz"};
  constexpr std::array<std::string_view, 7> k_whole{
      "key", "sig", "auth", "authorization", "jwt", "pwd", "session"};
  std::string name;
  for (char c : key) {
    if (c != '_' && c != '-') { // `api_key`, `api-key`
      name += lower(c);
    }
  }
  bool is_within = std::ranges::any_of(
      k_within, [&](std::string_view part) { return name.find(part) != std::string::npos; });
  return is_within || std::ranges::find(k_whole, name) != k_whole.end();
}

// The scheme's part of an address with its colon, or nothing.
std::string_view scheme_of(std::string_view text) {
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > text.find_first_of("/?#")) {
    return {};
  }
  bool is_scheme = std::ranges::all_of(text.substr(0, colon), [](char c) {
    return is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
  return is_scheme ? text.substr(0, colon + 1) : std::string_view();
}

} // namespace

std::string WebAddress::origin() const {
  std::string origin = is_plain ? "http://" : "https://";
  if (port == (is_plain ? 80 : 443)) {
    return origin + (host.find(':') == std::string::npos ? host : "[" + host + "]");
  }
  return origin + where();
}

std::string WebAddress::text() const {
  return origin() + path + query;
}

std::string WebAddress::where() const {
  std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return shown + ":" + std::to_string(port);
}

Result<WebAddress> read_web_address(std::string_view text) {
  if (text.size() > k_longest_address) {
    return no_address(text, "it is longer than 4096 bytes");
  }
  if (has_strange_characters(text) || has_bad_escape(text)) {
    return no_address(text, "it has characters that no address has");
  }
  std::string scheme(scheme_of(text));
  std::ranges::transform(scheme, scheme.begin(), lower);
  bool is_plain = scheme == "http:";
  if ((!is_plain && scheme != "https:") || text.substr(scheme.size(), 2) != "//") {
    return no_address(text, "it begins with neither `https://` nor `http://`");
  }
  std::string_view rest = text.substr(scheme.size() + 2);
  std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  rest = rest.substr(0, rest.find('#'));
  if (authority.find('@') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "an address with a user name in it is not followed",
                "leave out what is before the `@`");
  }
  WebAddress address{.is_plain = is_plain, .port = static_cast<std::uint16_t>(is_plain ? 80 : 443)};
  std::string_view port;
  if (authority.starts_with('[')) {
    std::size_t end = authority.find(']');
    in6_addr bytes{};
    address.host = authority.substr(1, end == std::string_view::npos ? end : end - 1);
    if (end == std::string_view::npos || ::inet_pton(AF_INET6, address.host.c_str(), &bytes) != 1) {
      return no_address(text, "its host is none");
    }
    char shown[INET6_ADDRSTRLEN];
    address.host = ::inet_ntop(AF_INET6, &bytes, shown, sizeof shown);
    port = authority.substr(end + 1);
  } else {
    std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    std::ranges::transform(address.host, address.host.begin(), lower);
    port = authority.substr(colon);
    if (!is_host_name(address.host)) {
      return no_address(text, "its host is none");
    }
    if (address.host.ends_with('.')) {
      address.host.pop_back(); // the same host, told from the root
    }
  }
  if (port.size() > 1 || (!port.empty() && port != ":")) {
    std::uint16_t number = 0;
    const char* end = port.data() + port.size();
    auto [stop, problem] = std::from_chars(port.data() + 1, end, number);
    if (port.front() != ':' || problem != std::errc() || stop != end || number == 0) {
      return no_address(text, "its port is none");
    }
    address.port = number;
  }
  std::size_t question = std::min(rest.find('?'), rest.size());
  address.path = without_dots(rest.substr(0, question));
  address.query = rest.substr(question);
  return address;
}

Result<WebAddress> resolve_address(const WebAddress& base, std::string_view reference) {
  if (!scheme_of(reference).empty()) {
    return read_web_address(reference);
  }
  if (reference.starts_with("//")) {
    return read_web_address((base.is_plain ? "http:" : "https:") + std::string(reference));
  }
  std::string text = base.origin();
  if (reference.empty() || reference.starts_with('#')) {
    text += base.path + base.query;
  } else if (reference.starts_with('?')) {
    text += base.path;
  } else if (!reference.starts_with('/')) {
    text += base.path.substr(0, base.path.rfind('/') + 1);
  }
  return read_web_address(text + std::string(reference));
}

std::string take_secrets(std::string& query) {
  std::string secrets;
  std::string kept;
  for (std::string_view rest = std::string_view(query).substr(query.empty() ? 0 : 1);
       !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    bool is_secret = says_who_asks(percent_decoded(part.substr(0, part.find('='))));
    std::string& into = is_secret ? secrets : kept;
    into.append(into.empty() ? "" : "&").append(part);
  }
  if (!secrets.empty()) {
    query = kept.empty() ? "" : "?" + kept;
  }
  return secrets;
}

std::string encoded_path(std::string_view path) {
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::string encoded;
  for (char c : path) {
    if (is_alphanumeric(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      unsigned char byte = static_cast<unsigned char>(c);
      encoded.append({'%', k_digits[byte >> 4], k_digits[byte & 15]});
    }
  }
  return encoded;
}

} // namespace upskill::install
