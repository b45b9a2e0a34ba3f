#pragma once
#include "tests/file_server/message.h"

#include <string>

namespace upskill::file_server {

// What `git http-backend` (CGI) answers of the repositories below `folder`; `path` is that of the
// repository and what is asked of it.
Reply ask_git(const std::string& folder, const std::string& path, const Request& request);

// Speaks git's own protocol on a connection, by `git daemon`, to its end.
void speak_git(int socket, const std::string& folder);

} // namespace upskill::file_server
