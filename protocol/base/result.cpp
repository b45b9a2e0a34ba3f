#include "protocol/base/result.h"

#include <cerrno>
#include <cstring>

namespace upskill {

std::string_view to_string(ErrorCode code) {
  switch (code) {
  case ErrorCode::invalid_argument:
    return "invalid_argument";
  case ErrorCode::not_found:
    return "not_found";
  case ErrorCode::already_exists:
    return "already_exists";
  case ErrorCode::permission:
    return "permission";
  case ErrorCode::no_space:
    return "no_space";
  case ErrorCode::io:
    return "io";
  case ErrorCode::corrupt:
    return "corrupt";
  case ErrorCode::too_large:
    return "too_large";
  case ErrorCode::busy:
    return "busy";
  case ErrorCode::cancelled:
    return "cancelled";
  case ErrorCode::timed_out:
    return "timed_out";
  case ErrorCode::refused:
    return "refused";
  case ErrorCode::changed:
    return "changed";
  case ErrorCode::unsupported:
    return "unsupported";
  case ErrorCode::unavailable:
    return "unavailable";
  case ErrorCode::internal:
    return "internal";
  }
  return "internal";
}

namespace {

ErrorCode code_of(int errno_value) {
  switch (errno_value) {
  case ENOENT:
  case ENOTDIR:
    return ErrorCode::not_found;
  case EEXIST:
  case ENOTEMPTY:
    return ErrorCode::already_exists;
  case EACCES:
  case EPERM:
  case EROFS:
    return ErrorCode::permission;
  case ENOSPC:
  case EDQUOT:
    return ErrorCode::no_space;
  case EFBIG:
  case ENAMETOOLONG:
    return ErrorCode::too_large;
  default:
    return ErrorCode::io;
  }
}

std::string hint_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::permission:
    return "check the owner and mode of the file and of the folders above it";
  case ErrorCode::no_space:
    return "free some space; nothing was changed";
  default:
    return {};
  }
}

} // namespace

Error system_error(int errno_value, std::string what) {
  ErrorCode code = code_of(errno_value);
  char buffer[128];
  // The GNU form returns the text; it need not use the buffer.
  what += ": ";
  what += strerror_r(errno_value, buffer, sizeof buffer);
  return Error{code, std::move(what), hint_of(code)};
}

} // namespace upskill
