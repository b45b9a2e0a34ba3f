#include "protocol/http/response.h"

#include <array>
#include <charconv>

namespace upskill::http {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
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
  case 408:
    return "Request Timeout";
  case 409:
    return "Conflict";
  case 413:
    return "Content Too Large";
  case 415:
    return "Unsupported Media Type";
  case 429:
    return "Too Many Requests";
  case 431:
    return "Request Header Fields Too Large";
  case 503:
    return "Service Unavailable";
  default:
    return "Error";
  }
}

void write_number(std::string& out, std::size_t number, int base) {
  std::array<char, 20> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void write_status(std::string& out, int status) {
  out += "HTTP/1.1 ";
  write_number(out, static_cast<std::size_t>(status), 10);
  out += ' ';
  out += reason_of(status);
  out += "\r\n";
}

void finish_head(std::string& out, After after, Fields fields) {
  for (const Field& field : fields) {
    out += field.name;
    out += ": ";
    out += field.value;
    out += "\r\n";
  }
  out += after == After::close ? "Connection: close\r\n\r\n" : "\r\n";
}

} // namespace

void write_answer(std::string& out, int status, std::string_view body, After after, Fields fields) {
  out.reserve(out.size() + body.size() + 256);
  write_status(out, status);
  if (!body.empty()) {
    out += "Content-Type: application/json\r\n";
  }
  if (status != 204) {
    out += "Content-Length: ";
    write_number(out, body.size(), 10);
    out += "\r\n";
  }
  finish_head(out, after, fields);
  out += body;
}

void write_stream_head(std::string& out, Framing framing, After after, Fields fields) {
  write_status(out, 200);
  out += "Content-Type: text/event-stream\r\n"
         "Cache-Control: no-cache, no-transform\r\n"
         "X-Accel-Buffering: no\r\n";
  if (framing == Framing::chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  finish_head(out, framing == Framing::chunked ? after : After::close, fields);
}

void write_piece(std::string& out, Framing framing, std::string_view bytes) {
  if (bytes.empty() || framing == Framing::until_close) {
    out += bytes;
    return;
  }
  write_number(out, bytes.size(), 16);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

void write_end(std::string& out, Framing framing) {
  if (framing == Framing::chunked) {
    out += "0\r\n\r\n";
  }
}

} // namespace upskill::http
