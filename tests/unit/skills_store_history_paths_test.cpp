#include "skills/store/history_paths.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;

namespace {

HistoryPath path_of(std::string path) {
  return {.path = std::move(path), .before = {}, .after = {}, .kind = ReplicaKind::copy};
}

} // namespace

TEST_SUITE("history_paths") {
  TEST_CASE("folders come back sorted, whatever their bytes") {
    HistoryPath made{.path = "/b/x\nö\xff y", .after = sha256("after")};
    HistoryPath gone{.path = "/a/x", .before = sha256("before"), .kind = ReplicaKind::link};
    Result<std::string> text = encode_history_paths({made, gone});
    REQUIRE(text);
    CHECK(decode_history_paths(*text).value() == std::vector{gone, made});
    CHECK(decode_history_paths("").value().empty());
  }

  TEST_CASE("what would not come back is refused") {
    CHECK_FALSE(encode_history_paths({path_of("/a"), path_of("/a")}));
    CHECK_FALSE(encode_history_paths({path_of("")}));
    CHECK_FALSE(encode_history_paths({path_of(std::string("/a\0b", 4))}));
  }

  TEST_CASE("damage is told, wherever it is cut off or spoilt") {
    std::string text = encode_history_paths({{.path = "/a", .before = sha256("x")}}).value();
    for (std::size_t size = 1; size < text.size(); ++size) {
      INFO(size);
      auto read = decode_history_paths(std::string_view(text).substr(0, size));
      REQUIRE_FALSE(read);
      CHECK(read.error().code == ErrorCode::corrupt);
    }
    std::string other = text;
    other.replace(other.find("copy"), 4, "cope");
    CHECK_FALSE(decode_history_paths(other));
    other = text;
    other[other.size() - 3] = 'g'; // no hexadecimal digit
    CHECK_FALSE(decode_history_paths(other));
  }
}
