#pragma once
#include "tests/file_server/message.h"

#include <string>

namespace upskill::file_server {

struct Folders {
  std::string files = {}; // served at `/`
  std::string git = {};   // repositories, at `/git/`
};

// Answers one request on its connection, well or badly, as its path says (README).
void answer(int socket, const Request& request, const Folders& folders);

} // namespace upskill::file_server
