#include "skills/redact/border_watch.h"
#include "skills/redact/json_redactor.h"
#include "tests/support/planted_secrets.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::redact;
using namespace upskill::tests;

namespace {

const RuleSet& rules() {
  static const Result<RuleSet> k_rules = RuleSet::built_in();
  REQUIRE(k_rules);
  return *k_rules;
}

// As whoever cleans one text after the other.
struct Cleaner {
  BorderWatch watch{rules()};
  JsonRedactor redactor{rules()};
  std::vector<Finding> found = {};

  std::string clean(std::string text) {
    redactor.scan(text, found);
    watch.take(text, found);
    redactor.redact(text);
    return text;
  }
};

} // namespace

TEST_CASE("a secret over two texts is met, or neither shows a part of it") {
  int met = 0;
  int planted_in_all = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    Plants plants(seed);
    for (const SecretKind& kind : k_secret_kinds) {
      Planted planted = plants.grow(kind.form);
      std::size_t cut = 1 + plants.below(planted.text.size() - 1);
      Cleaner cleaner;
      std::string all = cleaner.clean("Look at the tests.");
      all += cleaner.clean("I set " + planted.text.substr(0, cut));
      for (std::uint64_t between = plants.below(3); between > 0; --between) {
        cleaner.clean("It is there.");
      }
      all += cleaner.clean(planted.text.substr(cut) + " and go on");
      INFO("seed " << seed << ", rule " << kind.rule << ", cut " << cut << ": " << planted.text);
      CHECK((cleaner.watch.met() || !planted.shows_in(all)));
      met += cleaner.watch.met() ? 1 : 0;
      ++planted_in_all;
    }
  }
  CHECK(met > planted_in_all / 2);
}

TEST_CASE("a private key over many texts is met") {
  Plants plants(4);
  Cleaner cleaner;
  cleaner.clean("-----BEGIN PRIV"
                "ATE KEY-----\n"
                + plants.letters('S', 64) + "\n");
  CHECK_FALSE(cleaner.watch.met());
  cleaner.clean(plants.letters('S', 64) + "\n" + plants.letters('S', 64));
  CHECK(cleaner.watch.met());
}

TEST_CASE("texts that only follow each other are nothing to read again for") {
  Plants plants(7);
  Cleaner cleaner;
  for (int round = 0; round < 2000; ++round) {
    // No identifier at an end: half a token is one of the kinds, and what follows may be the rest.
    cleaner.clean("Please look at " + grow_innocent(plants, plants.below(40)) + " now");
    cleaner.clean("it says " + grow_innocent(plants, plants.below(40)) + ".");
    cleaner.clean("{\"id\": \"" + grow_innocent(plants, plants.below(40)) + "\"}");
  }
  std::string whole = plants.grow(k_secret_kinds[0].form).text;
  cleaner.clean("The key is " + whole);
  cleaner.clean("and it works");
  cleaner.clean("");
  CHECK_FALSE(cleaner.watch.met());
}
