#include "daemon/models/answer_json.h"
#include "daemon/models/chain.h"
#include "tests/unit/daemon_models_kept.h"

#include <nlohmann/json.hpp>

using namespace models_test;

namespace {

// A store in memory.
class Memory : public AnswerStore {
public:
  asio::awaitable<std::optional<std::string>> lookup(AnswerKey key) override {
    ++lookups;
    auto at = values.find(key);
    co_return at == values.end() ? std::nullopt : std::optional(at->second);
  }

  asio::awaitable<void> keep(AnswerKey key, std::string value, Keep which) override {
    if (which == Keep::newest) {
      values[key] = std::move(value);
    } else {
      values.emplace(key, std::move(value));
    }
    co_return;
  }

  std::map<AnswerKey, std::string> values = {};
  int lookups = 0;
};

struct Fixture {
  asio::io_context io;
  TalkingModel talker{io.get_executor()};
  Memory memory;

  CachedModel model(CachedModel::Mode mode = CachedModel::Mode::usual,
                    Identify identify = by_name()) {
    return {io.get_executor(), borrowed(talker), std::move(identify), memory, mode};
  }
};

Digest digest_of(const Request& request, Identify identify = by_name()) {
  return Questions(std::move(identify)).key(request)->question;
}

} // namespace

TEST_SUITE("CachedModel") {
  TEST_CASE("an answer is given again, with what it cost then") {
    Fixture fixture;
    CachedModel first = fixture.model();
    Result<Answer> asked = answer_of(fixture.io, first, question("one"));
    CHECK(*asked == *fixture.talker.otherwise);
    CachedModel second = fixture.model(); // of another evaluation
    Result<Answer> kept = answer_of(fixture.io, second, question("one"));
    Answer expected = *fixture.talker.otherwise;
    expected.cached = true;
    CHECK(*kept == expected);
    CHECK(fixture.talker.asked.size() == 1);
  }

  TEST_CASE("whatever a question is made of, and its sample, makes another one") {
    Request base = question("one");
    std::vector<Request> others(7, base);
    others[0].model = "other";
    others[1].system = "be brief.";
    others[2].messages[0].text = "two";
    others[3].messages.push_back({.role = Role::assistant, .text = "x"});
    others[4].tools.push_back({.name = "read"});
    others[5].answer_schema = "{}";
    others[6].max_tokens = 100;
    for (const Request& other : others) {
      CHECK(digest_of(other) != digest_of(base));
    }
    Fixture fixture;
    CachedModel model = fixture.model();
    others.push_back(question("one", 2)); // the same question
    CHECK(digest_of(others.back()) == digest_of(base));
    others.push_back(base);
    answers_of(fixture.io, model, others);
    CHECK(fixture.talker.asked.size() == others.size());
  }

  TEST_CASE("where a model is and how hard it thinks counts, its key and its alias do not") {
    auto at = [](std::string url, std::string name, std::string key) {
      Environment keys = [key = std::move(key)](const std::string&) { return std::optional(key); };
      Request request = question("one");
      request.model = std::move(name);
      return digest_of(request, identify_by(std::move(url), keys));
    };
    CHECK(at("http://127.0.0.1:1/v1", "x", "sk-1") == at("http://127.0.0.1:1/v1", "x", "sk-2"));
    CHECK(at("http://me:secret@h/v1?key=k", "x", "") == at("http://h/v1", "x", ""));
    CHECK(at("http://127.0.0.1:1/v1", "x", "") != at("http://127.0.0.1:2/v1", "x", ""));
    CHECK(at("http://127.0.0.1:1/v1", "x", "") != at("http://127.0.0.1:1/v2", "x", ""));
    CHECK(at("http://127.0.0.1:1/v1", "x", "") != at("http://127.0.0.1:1/v1", "x.low", ""));
    Environment none = [](const std::string&) { return std::nullopt; };
    Request alias = question("one");
    alias.model = "sonnet";
    Request whole = alias;
    whole.model = "anthropic.claude-sonnet-5";
    CHECK(digest_of(alias, identify_by("", none)) == digest_of(whole, identify_by("", none)));
    CHECK(digest_of(alias, identify_script("{}")) != digest_of(alias, identify_script("[]")));
  }

  TEST_CASE("what people read names the same question") {
    Questions questions(by_name());
    Request request = question("bad \xff bytes");
    request.system = "also \xff";
    request.messages.push_back({.role = Role::assistant, .calls = {{"1", "read", "{}"}}});
    request.messages.push_back({.results = {{"1", "text", true}}});
    nlohmann::json readable = *questions.readable(request);
    std::string text =
        readable.dump(2, ' ', false, nlohmann::json::error_handler_t::replace); // as in a file
    CHECK(question_digest(nlohmann::json::parse(text)) == questions.key(request)->question);
  }

  TEST_CASE("errors and refusals are asked again, what was cut off is not") {
    Fixture fixture;
    fixture.talker.says = {fail(ErrorCode::busy, "later"),
                           Answer{.stop = Stop::refusal},
                           Answer{.text = "half", .stop = Stop::length}};
    CachedModel model = fixture.model();
    auto answers = answers_of(fixture.io, model, std::vector<Request>(4, question("one")));
    CHECK(answers[0].error().code == ErrorCode::busy);
    CHECK(answers[1]->stop == Stop::refusal);
    CHECK(answers[3]->text == "half");
    CHECK(answers[3]->cached);
    CHECK(fixture.talker.asked.size() == 3);
  }

  TEST_CASE("fresh asks again and replaces, and what cannot be read does, too") {
    Fixture fixture;
    CachedModel usual = fixture.model();
    CachedModel fresh = fixture.model(CachedModel::Mode::fresh);
    answer_of(fixture.io, usual, question("one"));
    fixture.talker.otherwise->text = "news";
    CHECK(answer_of(fixture.io, fresh, question("one"))->text == "news");
    CHECK(fixture.memory.lookups == 1);
    CHECK(answer_of(fixture.io, usual, question("one"))->text == "news");
    fixture.memory.values.begin()->second = R"({"text":1})";
    CHECK_FALSE(answer_of(fixture.io, usual, question("one"))->cached);
    CHECK(answer_of(fixture.io, usual, question("one"))->cached);
    CHECK(fixture.talker.asked.size() == 3);
  }

  TEST_CASE("who asks the same at the same time shares the answer") {
    Fixture fixture;
    fixture.talker.is_closed = true;
    CachedModel model = fixture.model();
    std::vector<Result<Answer>> answers;
    runtime::TaskGroup group(fixture.io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
    runtime::TaskId first = group.start(ask(&model, question("one"), &answers));
    for (int i = 0; i < 3; ++i) {
      group.start(ask(&model, question("one"), &answers));
    }
    group.start(ask(&model, question("one", 2), &answers));
    fixture.io.poll();
    CHECK(fixture.talker.asked.size() == 2);
    // The one who asked goes away: another one takes over.
    group.cancel(first);
    fixture.io.restart();
    fixture.io.poll();
    CHECK(fixture.talker.asked.size() == 3);
    CHECK(answers.empty());
    fixture.talker.open();
    fixture.io.restart();
    fixture.io.run();
    CHECK(answers.size() == 4);
    CHECK(std::ranges::count_if(answers, [](const auto& one) { return one->cached; }) == 2);
    CHECK(fixture.talker.asked.size() == 3);
  }

  TEST_CASE("an answer comes back from its text as it was") {
    Answer answer{
        .text = "a\n\"b\"",
        .calls = {{"1", "read", R"({"path":"x"})"}},
        .stop = Stop::tool_use,
        .usage = {.input = 1, .cache_read = 2, .cache_write = 3, .output = 4, .reasoning = 5},
        .cost = 0.1 + 0.2,
        .model = "m",
        .provider = "p",
        .milliseconds = 7};
    CHECK(*parse_answer(write_answer(answer), "answer") == answer);
    CHECK(*parse_answer(write_answer(Answer{}), "answer") == Answer{});
  }

  TEST_CASE("what is no answer is told by its field") {
    auto fault = [](nlohmann::json change) {
      nlohmann::json object = answer_json(Answer{});
      object.merge_patch(change);
      return read_answer(object, "answer").error().message;
    };
    CHECK(fault({{"text", 1}}) == "answer.text is no text");
    CHECK(fault({{"stop", "x"}}).starts_with("answer.stop is none of"));
    CHECK(fault({{"cost", -1}}) == "answer.cost is no amount of money");
    CHECK(fault({{"usage", {{"input", -1}}}}) == "answer.usage.input is no count");
    CHECK(fault({{"calls", {{{"id", "1"}, {"name", 2}}}}}) == "answer.calls[0].name is no text");
    CHECK(parse_answer("[", "answer").error().message == "answer is no object");
  }
}
