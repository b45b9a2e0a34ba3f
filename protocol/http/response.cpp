#include "protocol/http/response.h"

#include <array>
#include <charconv>

namespace upskill::http {
namespace {

void write_number(std::string& out, std::size_t number, int base) {
  std::array<char, 20> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void write_status(std::string& out, Status status) {
  out += "HTTP/1.1 ";
  write_number(out, static_cast<std::size_t>(int(status)), 10);
  out += ' ';
  out += reason_of(status);
  out += "\r\n";
}

void write_field(std::string& out, const AnswerField& field) {
  out += field.name.text();
  out += ": ";
  out += field.value;
  out += "\r\n";
}

void finish_head(std::string& out, After after, Fields fields) {
  for (const AnswerField& field : fields) {
    write_field(out, field);
  }
  out += after == After::close ? "Connection: close\r\n\r\n" : "\r\n";
}

} // namespace

void write_answer(
    std::string& out, Status status, std::string_view body, After after, Fields fields) {
  out.reserve(out.size() + body.size() + 256);
  write_status(out, status);
  if (!body.empty()) {
    write_field(out, {"Content-Type", "application/json"});
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
  write_field(out, {"Content-Type", "text/event-stream"});
  write_field(out, {"Cache-Control", "no-cache, no-transform"});
  write_field(out, {"X-Accel-Buffering", "no"});
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
