#pragma once
#include "protocol/base/result.h"

#include <string>

struct sqlite3;

namespace upskill::store {

// What SQLite's result code (primary or extended, https://www.sqlite.org/rescode.html) means to us.
// `database` may be null; `path` is for the message.
Error database_error(sqlite3* database, int code, const std::string& path);

} // namespace upskill::store
