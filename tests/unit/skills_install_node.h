#pragma once
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace install_test {

// What Node makes of a text: `script` is the body of a function of `input` that returns a text.
// Nothing, and a printed reason, where there is no Node on this machine.
inline std::optional<std::string> ask_node(const std::string& script, const std::string& input) {
  if (std::system("command -v node >/dev/null 2>&1") != 0) {
    MESSAGE("skipped: there is no `node` to compare with");
    return std::nullopt;
  }
  upskill::tests::TemporaryFolder folder;
  upskill::tests::put_file(folder / "in", input);
  upskill::tests::put_file(folder / "ask.js",
                           "const fs = require('fs');\n"
                           "const answer = (input) => {"
                               + script
                               + "};\n"
                                 "fs.writeFileSync(__dirname + '/out',"
                                 " answer(fs.readFileSync(__dirname + '/in', 'utf8')));\n");
  REQUIRE(std::system(("LC_ALL=en_US.UTF-8 node " + folder / "ask.js").c_str()) == 0);
  return upskill::tests::file_text(folder / "out");
}

} // namespace install_test
