#pragma once
#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace upskill {

// What kind of failure an Error is. The protocol maps it to a JSON-RPC code, the command line to an
// exit code; nothing else may depend on the text of a message.
enum class ErrorCode {
  invalid_argument, // the caller's words are off
  not_found,
  already_exists,
  permission, // the system refused
  no_space,
  io,        // any other failure of the disk or of a system call
  corrupt,   // stored data does not say what it must
  too_large, // over one of our limits
  busy,      // a queue is full, somebody else holds it, or a git operation is under way
  cancelled,
  timed_out,
  refused,     // we could, but will not without a person's word (guards, halted roots)
  changed,     // the thing changed under us; try again
  unsupported, // this system or that era does not have it
  unavailable, // the daemon, the network or a program is not there
  internal     // a bug of ours
};

std::string_view to_string(ErrorCode code);

// One sentence that names the thing (lower case start, back-ticks round literals, no full stop) and
// what to do about it, which may be empty.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string hint = {};

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::make_unexpected(Error{code, std::move(message), std::move(hint)});
}

inline tl::unexpected<Error> fail(Error error) {
  return tl::make_unexpected(std::move(error));
}

// The failure of a system call: `what` names the call's object, errno_value decides the code
// (ENOENT: not_found, EACCES, EPERM and EROFS: permission, ENOSPC and EDQUOT: no_space, else io).
Error system_error(int errno_value, std::string what);

} // namespace upskill

// Statement macros, because a GNU statement expression crashes g++ 12 inside a coroutine. What is
// given by name is looked at where it is, never copied whole; it keeps its value, and its error.
#define UPSKILL_CONCAT_(a, b) a##b
#define UPSKILL_CONCAT(a, b) UPSKILL_CONCAT_(a, b)
#define UPSKILL_TRY_(temporary, expression, leave)                                                 \
  do {                                                                                             \
    auto&& temporary = (expression);                                                               \
    if (!temporary)                                                                                \
      leave ::tl::make_unexpected(std::forward<decltype(temporary)>(temporary).error());           \
  } while (false)
#define UPSKILL_TRY_ASSIGN_(temporary, target, expression, leave)                                  \
  auto&& temporary = (expression);                                                                 \
  if (!temporary)                                                                                  \
    leave ::tl::make_unexpected(std::forward<decltype(temporary)>(temporary).error());             \
  target = *std::forward<decltype(temporary)>(temporary)

// TRY(f()) leaves the function with f's error; TRY_ASSIGN(auto x, f()) also binds the value.
#define TRY(expression) UPSKILL_TRY_(UPSKILL_CONCAT(try_, __LINE__), expression, return )
#define TRY_ASSIGN(target, expression)                                                             \
  UPSKILL_TRY_ASSIGN_(UPSKILL_CONCAT(try_, __LINE__), target, expression, return )
// The same inside a coroutine; the expression itself must not contain co_await (docs: style, 4).
#define CO_TRY(expression) UPSKILL_TRY_(UPSKILL_CONCAT(try_, __LINE__), expression, co_return )
#define CO_TRY_ASSIGN(target, expression)                                                          \
  UPSKILL_TRY_ASSIGN_(UPSKILL_CONCAT(try_, __LINE__), target, expression, co_return )
