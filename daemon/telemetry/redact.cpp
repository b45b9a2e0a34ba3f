#include "daemon/telemetry/redact.h"

#include "protocol/base/utf8.h"

namespace upskill::telemetry {
namespace {

constexpr std::string_view k_hidden = "\"[hidden]\"";

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool ends_like(std::string_view name, std::string_view end) noexcept {
  if (name.size() < end.size()) {
    return false;
  }
  name.remove_prefix(name.size() - end.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (lower(name[i]) != end[i]) {
      return false;
    }
  }
  return true;
}

bool is_secret(std::string_view name) noexcept {
  // `progressToken` is no secret, so `token` alone counts only as a word of its own.
  return name == "upskill/context" || name == "upskill\\/context" || ends_like(name, "api_key")
         || ends_like(name, "apikey") || ends_like(name, "api-key") || ends_like(name, "secret")
         || ends_like(name, "password") || ends_like(name, "authorization")
         || ends_like(name, "credential") || ends_like(name, "_token") || ends_like(name, "-token")
         || (name.size() == 5 && ends_like(name, "token"));
}

std::size_t after_string(std::string_view text, std::size_t quote) noexcept {
  for (std::size_t i = quote + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t after_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
    ++at;
  }
  return at;
}

// Past one JSON value; past the end of the text where it is not complete.
std::size_t after_value(std::string_view text, std::size_t at) noexcept {
  std::size_t depth = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      at = after_string(text, at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) {
        return at;
      }
      --depth;
      ++at;
    } else if (c == ',' && depth == 0) {
      return at;
    } else {
      ++at;
      continue;
    }
    if (depth == 0) {
      return at;
    }
  }
  return text.size();
}

// Gives `put` the text in pieces, with secrets replaced.
template <class Put> void redact(std::string_view text, Put put) noexcept(noexcept(put(text))) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '"') {
      ++at;
      continue;
    }
    std::size_t end = after_string(text, at);
    std::size_t colon = after_blanks(text, end);
    bool is_name = colon < text.size() && text[colon] == ':';
    if (is_name && is_secret(text.substr(at + 1, end - at - 2))) {
      put(text.substr(plain, colon + 1 - plain));
      put(k_hidden);
      plain = after_value(text, after_blanks(text, colon + 1));
      at = plain;
    } else {
      at = end;
    }
  }
  put(text.substr(plain));
}

} // namespace

std::string without_secrets(std::string_view line) {
  std::string shown;
  shown.reserve(line.size());
  redact(line, [&](std::string_view piece) { shown += piece; });
  return shown;
}

std::string loggable(std::string_view line) {
  // A name that the cut splits from its value cannot leak: the value is cut off with it.
  std::string shown = to_valid_utf8(without_secrets(line.substr(0, 2 * k_max_logged_body)));
  if (shown.size() > k_max_logged_body || line.size() > 2 * k_max_logged_body) {
    shown.resize(utf8_prefix(shown, k_max_logged_body).size());
    shown += "... (" + std::to_string(line.size()) + " bytes)";
  }
  return shown;
}

std::size_t copy_without_secrets(std::string_view line, char* out, std::size_t room) noexcept {
  std::size_t used = 0;
  redact(line, [&](std::string_view piece) noexcept {
    for (std::size_t i = 0; i < piece.size() && used < room; ++i) {
      out[used++] = piece[i];
    }
  });
  return used;
}

} // namespace upskill::telemetry
