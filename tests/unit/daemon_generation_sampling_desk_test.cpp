#include "daemon/models/cached.h"
#include "protocol/codec/writer.h"
#include "tests/unit/daemon_generation_world.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

using namespace upskill;
using namespace upskill::generation;
using generate::Ending;
using tests::GenerationWorld;
using tests::has;
using Asked = std::optional<Result<models::Answer>>;

namespace {

models::Request question(std::string text, std::uint32_t sample = 1) {
  models::Request request;
  request.model = "sampling";
  request.system = "You write skills.";
  models::Message message;
  message.text = std::move(text);
  request.messages = {message};
  request.sample = sample;
  return request;
}

asio::awaitable<void> ask_into(SamplingDesk* desk, models::Request request, Asked* into) {
  AWAIT(Result<models::Answer> answer, desk->ask(std::move(request)));
  into->emplace(std::move(answer));
}

// A desk that was given these answers, and who asks there.
struct Desk {
  explicit Desk(const std::string& responses = {})
      : desk(io.get_executor(), responses)
      , group(io.get_executor(), [](const std::exception_ptr&) {}) {}

  ~Desk() {
    group.cancel_all();
    tests::run_coroutine(io, tests::join_group(&group));
  }

  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  const Asked& ask(models::Request request) {
    Asked& asked = answers.emplace_back();
    group.start(ask_into(&desk, std::move(request), &asked));
    io.restart();
    io.poll();
    return asked;
  }

  asio::io_context io;
  SamplingDesk desk;
  std::deque<Asked> answers;
  runtime::TaskGroup group;
};

std::string key_of(models::Request request) {
  Desk desk;
  desk.ask(std::move(request));
  std::vector<mcp::InputRequest> questions = desk.desk.questions();
  REQUIRE(questions.size() == 1);
  return questions[0].key;
}

std::string responses(const std::map<std::string, std::string>& by_key) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const auto& [key, said] : by_key) {
    json.key(key);
    json.begin_object();
    json.field("role", "assistant");
    json.field("model", "client-model");
    json.field("stopReason", "endTurn");
    json.key("content");
    json.begin_object();
    json.field("type", "text");
    json.field("text", said);
    json.end_object();
    json.end_object();
  }
  json.end_object();
  return text;
}

// Answers as a store keeps them.
class Kept : public models::AnswerStore {
public:
  asio::awaitable<std::optional<std::string>> lookup(models::AnswerKey key) override {
    auto found = m_kept.find(key);
    co_return found == m_kept.end() ? std::nullopt : std::optional(found->second);
  }

  asio::awaitable<void> keep(models::AnswerKey key, std::string value, Keep) override {
    m_kept[key] = std::move(value);
    co_return;
  }

private:
  std::map<models::AnswerKey, std::string> m_kept;
};

// One call of a generation whose teacher is the client.
struct Call {
  Call(Kept& kept, const std::string& answers)
      : desk(world.io.get_executor(), answers)
      , model(world.io.get_executor(),
              std::make_unique<SamplingModel>(desk),
              identify_client("agent"),
              kept)
      , writer(model, "sampling") {
    world.teaches = &writer;
    world.writes_cases = &writer;
    world.hooks.sampling = &desk;
  }

  void run() {
    world.start();
    world.student.open();
    world.end();
    for (const std::exception_ptr& failure : world.failures) {
      CHECK_NOTHROW(std::rethrow_exception(failure));
    }
  }

  GenerationWorld world;
  SamplingDesk desk;
  models::CachedModel model;
  Writer writer;
};

} // namespace

TEST_SUITE("SamplingDesk") {
  TEST_CASE("a question waits for the client") {
    Desk desk;
    models::Request request = question("Write it.");
    request.answer_schema = R"({"type": "object"})";
    request.max_tokens = 77;
    const Asked& asked = desk.ask(request);
    CHECK_FALSE(asked);
    CHECK(desk.desk.waiting() == 1);
    std::vector<mcp::InputRequest> questions = desk.desk.questions();
    REQUIRE(questions.size() == 1);
    CHECK(questions[0].kind == mcp::InputKind::sampling);
    CHECK(questions[0].key.starts_with("sample-"));
    CHECK(questions[0].params
          == R"({"messages":[{"role":"user","content":{"type":"text","text":"Write it."}}],)"
             R"("systemPrompt":"You write skills.\n\nReply with one JSON object that this JSON )"
             R"(Schema describes:\n{\"type\": \"object\"}","maxTokens":77})");
  }

  TEST_CASE("the same question has the same key, any other has another") {
    std::string key = key_of(question("Write it."));
    CHECK(key_of(question("Write it.")) == key);
    CHECK(key_of(question("Write it!")) != key);
    CHECK(key_of(question("Write it.", 2)) != key);
    models::Request corrected = question("Write it.");
    models::Message said;
    said.role = models::Role::assistant;
    said.text = "No.";
    corrected.messages.push_back(said);
    CHECK(key_of(corrected) != key);
  }

  TEST_CASE("what the client said is the answer") {
    std::string key = key_of(question("Write it."));
    Desk desk(responses({{key, "Here it is."}, {"elicit-1", "something else"}}));
    const Asked& asked = desk.ask(question("Write it."));
    REQUIRE(asked);
    REQUIRE(*asked);
    CHECK((*asked)->text == "Here it is.");
    CHECK((*asked)->stop == models::Stop::end);
    CHECK((*asked)->model == "client-model");
    CHECK((*asked)->provider == "sampling");
    CHECK(desk.desk.waiting() == 0);
    // Nobody answered this one.
    CHECK_FALSE(desk.ask(question("And this?")));
    CHECK(desk.desk.questions().size() == 1);
  }

  TEST_CASE("an answer that was cut off says so") {
    std::string key = key_of(question("Write it."));
    Desk desk(R"({")" + key
              + R"(": {"content": {"type": "text", "text": "x"}, "stopReason": "maxTokens"}})");
    const Asked& asked = desk.ask(question("Write it."));
    REQUIRE(asked);
    REQUIRE(*asked);
    CHECK((*asked)->stop == models::Stop::length);
  }

  TEST_CASE("an answer of several blocks is all of their text") {
    std::string key = key_of(question("Write it."));
    Desk desk(
        R"({")" + key
        + R"(": {"content": [{"type": "text", "text": "Here "}, {"type": "image", "data": "aGk="},)"
          R"( {"type": "text", "text": "it is."}], "stopReason": "endTurn"}})");
    const Asked& asked = desk.ask(question("Write it."));
    REQUIRE(asked);
    REQUIRE(*asked);
    CHECK((*asked)->text == "Here it is.");
  }

  TEST_CASE("what is no text is no answer") {
    std::string key = key_of(question("Write it."));
    for (const char* said : {R"({"content": {"type": "image", "data": "aGk="}})",
                             R"({"content": [{"type": "image", "data": "aGk="}]})",
                             R"({"content": []})",
                             R"({"content": [{"type": "text", "text": "x"}, 7]})",
                             R"({"content": [["x"]]})",
                             R"({"action": "decline"})",
                             "7",
                             "null",
                             R"({"content": "text"})"}) {
      Desk desk(R"({")" + key + R"(": )" + said + "}");
      const Asked& asked = desk.ask(question("Write it."));
      CAPTURE(said);
      REQUIRE(asked);
      REQUIRE_FALSE(*asked);
      CHECK(asked->error().code == ErrorCode::corrupt);
    }
  }

  TEST_CASE("responses that cannot be read are none, and it is asked again") {
    for (const char* text : {"", "{", "[]", "7", R"({"sample-": {}})"}) {
      Desk desk(text);
      CAPTURE(text);
      CHECK_FALSE(desk.ask(question("Write it.")));
      CHECK(desk.desk.questions().size() == 1);
    }
  }

  TEST_CASE("at most eight are put to a client at once") {
    Desk desk;
    for (int i = 0; i < 10; ++i) {
      desk.ask(question("Number " + std::to_string(i)));
    }
    CHECK(desk.desk.waiting() == 10);
    std::vector<mcp::InputRequest> questions = desk.desk.questions();
    std::set<std::string> keys;
    for (const mcp::InputRequest& one : questions) {
      keys.insert(one.key);
    }
    CHECK(keys.size() == 8);
  }

  TEST_CASE("a generation asks draft and cases in one round, and nothing twice") {
    Kept kept;
    std::map<std::string, std::string> answers;
    {
      Call first(kept, "");
      first.run();
      CHECK(first.world.generation->needs_client());
      CHECK_FALSE(first.world.generation->loop().ending());
      CHECK(first.world.student.asked.empty());
      std::vector<mcp::InputRequest> questions = first.desk.questions();
      REQUIRE(questions.size() == 2);
      for (const mcp::InputRequest& one : questions) {
        bool is_draft = !has(one.params, "JSON Schema");
        answers[one.key] = is_draft ? tests::skill_text() : tests::cases_text(11, 12);
      }
    }
    {
      Call second(kept, responses(answers));
      second.run();
      CHECK_FALSE(second.world.generation->needs_client());
      CHECK(second.desk.questions().empty());
      CHECK(second.world.ending().kind == Ending::Kind::better);
      CHECK(second.world.student.asked.size() == 24);
    }
    Call third(kept, ""); // made once more, without the answers
    third.run();
    CHECK(third.desk.questions().empty());
    CHECK(third.world.ending().kind == Ending::Kind::better);
  }

  TEST_CASE("what is still unanswered is asked again, and baselines are made meanwhile") {
    Kept kept;
    Call first(kept, "");
    first.run();
    std::map<std::string, std::string> answers;
    std::string draft;
    for (const mcp::InputRequest& one : first.desk.questions()) {
      if (has(one.params, "JSON Schema")) {
        answers[one.key] = tests::cases_text(11, 12);
      } else {
        draft = one.key;
      }
    }
    Call second(kept, responses(answers));
    second.run();
    CHECK(second.world.generation->needs_client());
    CHECK(second.world.student.answered == 12);
    std::vector<mcp::InputRequest> questions = second.desk.questions();
    REQUIRE(questions.size() == 1);
    CHECK(questions[0].key == draft);
  }

  TEST_CASE("two sessions that say the same do not keep the client waiting") {
    Kept kept;
    Call call(kept, "");
    call.world.inputs.evidence = {"evidence-one", "evidence-one"};
    call.run();
    CHECK(call.world.generation->needs_client());
    CHECK(call.desk.questions().size() == 2);
  }
}
