#pragma once
#include <string_view>

namespace upskill::http {

// Of a status that is sent (RFC 9110, section 15; RFC 6585); empty for all others. The reference of
// the protocol (clients/cli/mcp_tables.cpp) has a row for each.
constexpr std::string_view reason_of(int status) {
  switch (status) {
  case 100:
    return "Continue";
  case 200:
    return "OK";
  case 202:
    return "Accepted";
  case 204:
    return "No Content";
  case 400:
    return "Bad Request";
  case 401:
    return "Unauthorized";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 406:
    return "Not Acceptable";
  case 411:
    return "Length Required";
  case 413:
    return "Content Too Large";
  case 415:
    return "Unsupported Media Type";
  case 431:
    return "Request Header Fields Too Large";
  case 503:
    return "Service Unavailable";
  default:
    return {};
  }
}

// A status that is sent: a number without a reason phrase does not compile.
class Status {
public:
  consteval Status(int code) // NOLINT(google-explicit-constructor): `answer(204, ...)`
      : m_code(code) {
    if (reason_of(code).empty()) {
      throw "reason_of() does not know it";
    }
  }

  constexpr operator int() const { return m_code; } // NOLINT(google-explicit-constructor)

private:
  int m_code;
};

} // namespace upskill::http
