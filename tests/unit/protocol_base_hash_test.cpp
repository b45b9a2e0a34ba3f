#include "protocol/base/hash.h"

#include <doctest/doctest.h>

using namespace upskill;

TEST_SUITE("Hash") {
  TEST_CASE("HMAC-SHA-256 gives the codes of RFC 4231") {
    CHECK(hmac_sha256(std::string(20, '\x0b'), "Hi There").hex()
          == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(hmac_sha256("Jefe", "what do ya want for nothing?").hex()
          == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd')).hex()
          == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  }

  TEST_CASE("a comparison in constant time compares") {
    CHECK(equal_in_constant_time("", ""));
    CHECK(equal_in_constant_time("abc", "abc"));
    CHECK_FALSE(equal_in_constant_time("abc", "abd"));
    CHECK_FALSE(equal_in_constant_time("abc", "ab"));
    CHECK_FALSE(equal_in_constant_time("abc", "abcd"));
  }
}
