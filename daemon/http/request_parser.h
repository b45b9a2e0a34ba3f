#pragma once
#include "protocol/http/head.h"
#include "protocol/http/status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::http {

// Bytes to HTTP/1.x requests, one after the other (Boost.Beast's parser without its input and
// output). What Beast refuses, two different lengths for example, is refused here.
// Owner: a Connection. Thread: one.
class RequestParser {
public:
  enum class State { head, body, done, failed };

  RequestParser();
  ~RequestParser();

  // Takes from the front of `bytes` what it can and returns how much; the rest is given again, with
  // more behind it. Stops where the head ends, so that it can be looked at before a body is taken.
  std::size_t take(std::string_view bytes);
  // Of the body of this request, in bytes: k_max_line, unless it is said before any of it is taken.
  void limit_body(std::size_t bytes);
  // Another request begins.
  void reset();

  State state() const;
  // Not `head`: what a request says about itself.
  const Head& head() const;
  std::optional<std::uint64_t> content_length() const;
  // It says where its body ends: by a length, or chunks.
  bool has_length() const;
  bool keeps_alive() const;
  bool is_http_1_0() const;
  bool expects_continue() const;

  // `done`: all of it.
  std::string& body();

  // `failed`: 400, 413 or 431.
  Status status() const;

private:
  struct Beast;
  std::unique_ptr<Beast> m_beast;
};

} // namespace upskill::http
