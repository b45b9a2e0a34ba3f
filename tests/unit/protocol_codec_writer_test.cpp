#include "protocol/base/utf8.h"
#include "protocol/codec/writer.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <string>

using namespace upskill;

TEST_SUITE("JsonWriter") {
  TEST_CASE("a string of any bytes, at any place of a word, comes back") {
    std::mt19937 random(17);
    const std::string specials = std::string("\"\\\n\r\t\x01\x1F\0 /\x7F", 11);
    for (int round = 0; round < 5000; ++round) {
      std::string text(random() % 40, 'a');
      for (unsigned change = 0; !text.empty() && change < random() % 4; ++change) {
        text[random() % text.size()] = specials[random() % specials.size()];
      }
      text += round % 3 == 0 ? "\u00e9\U0001F600" : "";
      CAPTURE(text);
      std::string json = json_string(text);
      CHECK(json.find('\n') == std::string::npos);
      CHECK(nlohmann::json::parse(json) == text);
    }
  }

  TEST_CASE("ill-formed bytes are found at any place of a word") {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'a');
      text[at] = '\xFF';
      CHECK(utf8_valid_prefix(text) == at);
      CHECK(nlohmann::json::accept(json_string(text)));
    }
    CHECK(is_utf8(std::string(17, 'a') + "\u00e9" + std::string(9, 'b') + "\U0001F600"));
    CHECK_FALSE(is_utf8(std::string(16, 'a') + "\xC3"));
  }
}
