#include "protocol/http/events.h"

namespace upskill::http {
namespace {

constexpr std::string_view k_retry = "retry: 500\n"; // milliseconds

void write_id(std::string& out, std::string_view id) {
  if (!id.empty()) {
    out += "id: ";
    out += id;
    out += '\n';
  }
}

} // namespace

void write_event(std::string& out, std::string_view id, std::string_view data) {
  out.reserve(out.size() + id.size() + data.size() + 16);
  write_id(out, id);
  for (;;) {
    std::size_t end = data.find_first_of("\r\n");
    out += "data: ";
    out += data.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) {
      break;
    }
    data.remove_prefix(end + 1);
  }
  out += '\n';
}

void write_priming(std::string& out, std::string_view id) {
  write_id(out, id);
  out += k_retry;
  out += "data:\n\n";
}

} // namespace upskill::http
