#include "skills/store/replica_record.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;

TEST_SUITE("replica_record") {
  TEST_CASE("copies come back as they were, in their order") {
    std::vector<ReplicaRow> replicas{
        {.root = 9, .fingerprint = Fingerprint{0, 255, 16}, .hash = sha256("x")},
        {.root = 1, .kind = ReplicaKind::link},
        {.root = INT64_MAX, .kind = ReplicaKind::excluded, .hash = sha256("y")}};
    CHECK(decode_replicas(encode_replicas(replicas)).value() == replicas);
    CHECK(decode_replicas("").value().empty());
  }

  TEST_CASE("damage is told, wherever it is cut off or spoilt") {
    std::string record = encode_replicas({{.root = 12, .hash = sha256("x")}});
    for (std::size_t size = 1; size < record.size(); ++size) {
      INFO(size);
      auto read = decode_replicas(std::string_view(record).substr(0, size));
      REQUIRE_FALSE(read);
      CHECK(read.error().code == ErrorCode::corrupt);
    }
    for (std::size_t at : {0, 3}) {
      std::string other = record;
      other[at] = '?';
      CHECK_FALSE(decode_replicas(other));
    }
  }

  TEST_CASE("a fingerprint that is none only means to look again") {
    using namespace std::string_literals;
    auto read = decode_replicas("1\0copy\0zz\0\0"s);
    REQUIRE(read);
    CHECK(read->at(0).fingerprint == std::nullopt);
  }
}
