#include "skills/store/database_error.h"

#include <sqlite3.h>

#include <cerrno>

namespace upskill::store {
namespace {

ErrorCode code_of(int code, int errno_value) {
  switch (code & 0xFF) {
  case SQLITE_FULL:
    return ErrorCode::no_space;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return ErrorCode::corrupt;
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return ErrorCode::permission;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return ErrorCode::busy;
  case SQLITE_TOOBIG:
    return ErrorCode::too_large;
  case SQLITE_CONSTRAINT:
    return code == SQLITE_CONSTRAINT_FOREIGNKEY ? ErrorCode::not_found
                                                : ErrorCode::invalid_argument;
  case SQLITE_MISUSE:
  case SQLITE_RANGE:
  case SQLITE_ERROR:
    return ErrorCode::internal;
  default:
    // CANTOPEN, IOERR: the system call behind it says more.
    switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::no_space;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::permission;
    case ENOENT:
      return ErrorCode::not_found;
    default:
      return ErrorCode::io;
    }
  }
}

std::string hint_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::no_space:
    return "free some space";
  case ErrorCode::corrupt:
    return "`upskill daemon stop`: the next start puts it aside and begins a new one, and no skill "
           "is "
           "lost by it";
  case ErrorCode::permission:
    return "check the owner and mode of the file and of its folder";
  case ErrorCode::busy:
    return "another process holds it; try again";
  default:
    return {};
  }
}

} // namespace

Error database_error(sqlite3* database, int code, const std::string& path) {
  ErrorCode ours = code_of(code, database == nullptr ? 0 : sqlite3_system_errno(database));
  const char* reason = sqlite3_errstr(code);
  // The connection's own words are about its last failure, which need not be this one.
  if (database != nullptr && sqlite3_extended_errcode(database) == code) {
    reason = sqlite3_errmsg(database);
  }
  return Error{ours, "cannot use database `" + path + "`: " + reason, hint_of(ours)};
}

} // namespace upskill::store
