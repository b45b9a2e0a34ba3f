#pragma once
#include "clients/cli/exit_code.h"
#include "clients/cli/render.h"
#include "protocol/codec/codec.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace clients_test {

// What a command shows of a result, and how it ends.
struct Shown {
  std::string out;
  std::string err;
  int code = 0;

  bool has(std::string_view part) const { return out.find(part) != std::string::npos; }
};

template <class T>
Shown shown(std::vector<std::string_view> words, const T& result, std::size_t columns = 80) {
  using namespace upskill::cli;
  Screen screen;
  screen.columns = columns;
  screen.home = "/home/ann";
  screen.folder = "/home/ann/work";
  Page page(screen);
  auto invocation = parse(words);
  REQUIRE_MESSAGE(invocation, invocation.error().message);
  std::string text = upskill::encode(result);
  auto reader = upskill::connect::TextReader::open(text, "the result");
  REQUIRE(reader);
  upskill::Result<void> done = render(page, *invocation, *reader);
  REQUIRE_MESSAGE(done, done.error().message);
  return {page.text(Stream::out), page.text(Stream::err), exit_code_of(*invocation, *reader)};
}

} // namespace clients_test
