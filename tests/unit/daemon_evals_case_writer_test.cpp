#include "daemon/await.h"
#include "daemon/evals/case_writer.h"
#include "tests/support/run_coroutine.h"
#include "tests/unit/daemon_evals_replies.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::evals;
using tests::answer_of;
using tests::Replies;

namespace {

asio::awaitable<void> do_write(CaseWriter* writer, Result<eval::CaseSuite>* into) {
  generate::CaseRequest request{"s", "d", "Use 9.0.", 2};
  AWAIT(*into, writer->write(std::move(request)));
}

Result<eval::CaseSuite> written(CaseWriter& writer) {
  asio::io_context io;
  Result<eval::CaseSuite> suite;
  tests::run_coroutine(io, do_write(&writer, &suite));
  return suite;
}

} // namespace

TEST_SUITE("CaseWriter") {
  const std::string k_cases =
      R"({"cases": [{"input": "Write it.", "expected": {"contains": ["sm_90", "-c"]}}]})";

  TEST_CASE("one reply that can be read is enough") {
    Replies model({answer_of(k_cases)});
    CaseWriter writer(model, "opus");
    Result<eval::CaseSuite> suite = written(writer);
    REQUIRE(suite);
    CHECK(suite->cases.size() == 1);
    REQUIRE(model.asked.size() == 1);
    CHECK(model.asked[0].model == "opus");
    CHECK(model.asked[0].messages[0].text.find("Use 9.0.") != std::string::npos);
    CHECK_FALSE(model.asked[0].answer_schema.empty());
    CHECK(writer.spent().cost() == 0.5);
  }

  TEST_CASE("another one is asked for once, with what was wrong") {
    for (const std::string& first : {std::string("Sure!"), std::string()}) {
      Replies model({answer_of(first), answer_of(k_cases)});
      CaseWriter writer(model, "opus");
      REQUIRE(written(writer));
      REQUIRE(model.asked.size() == 2);
      const auto& messages = model.asked[1].messages;
      REQUIRE(messages.size() == 3);
      CHECK(messages[0] == model.asked[0].messages[0]);
      CHECK(messages[1].role == models::Role::assistant);
      CHECK(messages[1].text == (first.empty() ? "(nothing)" : first));
      CHECK(messages[2].role == models::Role::user);
      CHECK(messages[2].text.find("the reply has no JSON object with `cases`")
            != std::string::npos);
      CHECK(writer.spent().asked() == 2);
    }
  }

  TEST_CASE("after the second one it is told why") {
    models::Answer cut = answer_of(k_cases);
    cut.stop = models::Stop::length;
    Replies model({answer_of("{}"), cut, answer_of(k_cases)});
    CaseWriter writer(model, "opus");
    Result<eval::CaseSuite> suite = written(writer);
    REQUIRE_FALSE(suite);
    CHECK(suite.error().message
          == "the test cases that `opus` wrote cannot be read: the reply was cut off, it is too "
             "long");
    CHECK(model.asked.size() == 2);
  }

  TEST_CASE("a refusal and a server's error are not argued with") {
    models::Answer refused;
    refused.stop = models::Stop::refusal;
    Replies model({refused, answer_of(k_cases)});
    CaseWriter writer(model, "opus");
    Result<eval::CaseSuite> suite = written(writer);
    REQUIRE_FALSE(suite);
    CHECK(suite.error().code == ErrorCode::refused);
    CHECK(model.asked.size() == 1);
    Replies lost({fail(ErrorCode::unavailable, "the server is not there"), answer_of(k_cases)});
    CaseWriter other(lost, "opus");
    suite = written(other);
    REQUIRE_FALSE(suite);
    CHECK(suite.error() == Error{ErrorCode::unavailable, "the server is not there", ""});
    CHECK(lost.asked.size() == 1);
  }
}
