#include "daemon/models/http_model.h"
#include "tests/unit/daemon_models_server.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace models_test;
using namespace std::chrono_literals;
using Json = nlohmann::json;

namespace {

constexpr std::string_view k_said =
    R"({"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],)"
    R"("usage":{"prompt_tokens":3,"completion_tokens":2}})";

Reply said() {
  return reply("200 OK", std::string(k_said), "content-type: application/json\r\n");
}

asio::awaitable<void> ask(Model* model, Request request, std::vector<Result<Answer>>* into) {
  AWAIT(Result<Answer> answer, model->answer(std::move(request)));
  into->push_back(std::move(answer));
}

struct Asked : World {
  std::vector<std::string> retries = {};
  HttpModelOptions options = {
      .environment = with({{"OPENAI_API_KEY", " sk-secret\n"}, {"GENERIC_BASE_URL", server.url()}}),
      .random = [] { return 0.0; },
      .unix_ms = [] { return std::int64_t{0}; },
      .on_retry = [this](const Error& error) { retries.push_back(error.message); }};

  // Asks that often, one after the other, by one model.
  std::vector<Result<Answer>> ask_times(int times, Request request) {
    std::vector<Result<Answer>> answers;
    HttpModel model(io.get_executor(), http, options);
    run([&](World&) { return ask_all(&model, times, request, &answers); });
    return answers;
  }

  Result<Answer> ask_once(Request request) { return ask_times(1, std::move(request)).at(0); }

  static asio::awaitable<void>
  ask_all(Model* model, int times, Request request, std::vector<Result<Answer>>* into) {
    for (int i = 0; i < times; ++i) {
      AWAIT_DONE(ask(model, request, into));
    }
  }

  Json body(std::size_t i) const {
    const std::string& request = server.requests.at(i);
    return Json::parse(request.substr(request.find("\r\n\r\n")));
  }
};

Request asks(std::string model) {
  return {.model = std::move(model), .messages = {{.text = "hello"}}};
}

// Fifty at once, of which so many are under way.
asio::awaitable<void>
ask_many(HttpModel* model, World* world, std::size_t under_way, std::vector<Result<Answer>>* into) {
  runtime::TaskGroup group(world->io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
  for (int i = 0; i < 50; ++i) {
    group.start(ask(model, asks("generic.qwen"), into));
  }
  CHECK(world->http.running() == under_way);
  AWAIT_DONE(group.join());
}

} // namespace

TEST_SUITE("HttpModel") {
  TEST_CASE("an answer with usage, provider and cost") {
    Asked world;
    world.server.replies = {said()};
    Result<Answer> answer = world.ask_once(asks("generic.qwen"));
    REQUIRE_MESSAGE(answer.has_value(), (answer ? "" : answer.error().message));
    CHECK(answer->text == "Hi");
    CHECK(answer->usage == Usage{.input = 3, .output = 2});
    CHECK(answer->provider == "generic");
    CHECK(answer->model == "qwen");
    CHECK(*answer->cost == 0);
    CHECK(world.body(0)["messages"][0]["content"] == "hello");
    CHECK(world.server.requests[0].starts_with("POST /v1/chat/completions "));
    CHECK(world.server.requests[0].find("uthorization") == std::string::npos);
  }

  TEST_CASE("Anthropic's stream, with the key in its header") {
    Asked world;
    world.options.environment =
        with({{"ANTHROPIC_API_KEY", "k-1"}, {"ANTHROPIC_BASE_URL", world.server.url("")}});
    world.server.replies = {
        {"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
         "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
         "\"text\":\"```json\\n{}\\n```\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"}};
    Request request = asks("sonnet.low");
    request.answer_schema = "{}";
    Result<Answer> answer = world.ask_once(request);
    REQUIRE(answer);
    CHECK(answer->text == "{}\n");
    CHECK(answer->model == "claude-sonnet-5");
    CHECK(world.server.requests[0].find("x-api-key: k-1\r\n") != std::string::npos);
    CHECK(world.body(0)["output_config"]["effort"] == "low");
  }

  TEST_CASE("no key, an unknown name, a model that is not there") {
    Asked world;
    Result<Answer> no_key = world.ask_once(asks("sonnet"));
    REQUIRE_FALSE(no_key);
    CHECK(no_key.error().code == ErrorCode::permission);
    CHECK(no_key.error().hint == "set `ANTHROPIC_API_KEY`");
    CHECK(Asked().ask_once(asks("sonet")).error().code == ErrorCode::not_found);
    Asked gone;
    gone.server.replies = {reply("404 Not Found", R"({"error":{"message":"no such model"}})")};
    Result<Answer> missing = gone.ask_once(asks("generic.x"));
    CHECK(missing.error().code == ErrorCode::not_found);
    CHECK(missing.error().message == "`" + gone.server.where() + "` answered 404: no such model");
  }

  TEST_CASE("a key is in no message") {
    Asked world;
    world.options.base_url = world.server.url();
    world.server.replies = {reply("401 No", R"({"error":{"message":"bad key sk-secret"}})")};
    Result<Answer> answer = world.ask_once(asks("openai.gpt-5.5"));
    CHECK(answer.error().code == ErrorCode::permission);
    CHECK(answer.error().message.ends_with("bad key [hidden]"));
    CHECK(world.server.requests[0].find("uthorization: Bearer sk-secret\r\n") != std::string::npos);
    CHECK(world.body(0).contains("max_completion_tokens"));
    Asked split;
    split.options.environment = with({{"GENERIC_API_KEY", "a\r\nx-evil: 1"}});
    CHECK(split.ask_once(asks("generic.x")).error().code == ErrorCode::permission);
  }

  TEST_CASE("rate limits and troubles are tried again, five times at most") {
    Asked world;
    world.server.replies = {reply("429 Slow", "", "retry-after-ms: 1\r\n"),
                            reply("503 Loading", "loading"),
                            {""},
                            said()};
    CHECK(world.ask_once(asks("generic.x"))->text == "Hi");
    CHECK(world.server.requests.size() == 4);
    CHECK(world.retries.at(1) == "`" + world.server.where() + "` answered 503: loading");
    Asked down;
    down.server.replies = std::deque<Reply>(9, reply("529 Overloaded", ""));
    CHECK(down.ask_once(asks("generic.x")).error().code == ErrorCode::busy);
    CHECK(down.server.requests.size() == 5);
    Asked quota;
    quota.server.replies = {reply("429 No", R"({"error":{"code":"insufficient_quota"}})")};
    CHECK(quota.ask_once(asks("generic.x")).error().code == ErrorCode::refused);
    CHECK(quota.server.requests.size() == 1);
  }

  TEST_CASE("a server that is not there: told at once on this machine, one more try elsewhere") {
    Asked here;
    tcp::acceptor taken(here.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    std::string closed = "127.0.0.1:" + std::to_string(taken.local_endpoint().port());
    taken.close();
    here.options.base_url = "http://" + closed + "/v1";
    Result<Answer> answer = here.ask_once(asks("generic.x"));
    CHECK(answer.error().message == "`" + closed + "` takes no connections");
    CHECK(here.retries.empty());
    Asked elsewhere; // nobody goes there: the proxy is what takes no connections
    elsewhere.options.base_url = "http://192.0.2.1/v1";
    elsewhere.options.environment = with({{"http_proxy", "http://" + closed}});
    CHECK(elsewhere.ask_once(asks("generic.x")).error().code == ErrorCode::unavailable);
    CHECK(elsewhere.retries.size() == 1);
  }

  TEST_CASE("after the first content there is no other try") {
    Asked world;
    world.server.replies = {{"HTTP/1.1 200 OK\r\n\r\ndata: {\"choices\":[{\"delta\":"
                             "{\"content\":\"H\"}}]}\n\n"}};
    Result<Answer> answer = world.ask_once(asks("generic.x"));
    CHECK(answer.error().code == ErrorCode::unavailable);
    CHECK(answer.error().message == "the answer of `" + world.server.where() + "` was cut off");
    CHECK(world.server.requests.size() == 1);
  }

  TEST_CASE("a field that a model rejects is left out at once, and from then on") {
    Asked world;
    world.server.replies = {
        reply("400 Bad", R"({"error":{"code":"unsupported_parameter","param":"max_tokens"}})"),
        reply("400 Bad", R"({"error":{"message":"stream_options is not supported"}})"),
        said(),
        said()};
    std::vector<Result<Answer>> answers = world.ask_times(2, asks("generic.x"));
    CHECK(answers[0]->text == "Hi");
    CHECK(answers[1]->text == "Hi");
    CHECK(world.retries.empty());
    CHECK(world.body(0).contains("max_tokens"));
    for (std::size_t i : {std::size_t{2}, std::size_t{3}}) {
      CHECK_FALSE(world.body(i).contains("max_tokens"));
      CHECK(world.body(i).contains("max_completion_tokens"));
      CHECK_FALSE(world.body(i).contains("stream_options"));
    }
    Asked stubborn;
    Reply no = reply("400 Bad", R"({"error":{"code":"unsupported_parameter","param":"store"}})");
    stubborn.server.replies = std::deque<Reply>(9, no);
    CHECK(stubborn.ask_once(asks("generic.x")).error().code == ErrorCode::invalid_argument);
    CHECK(stubborn.server.requests.size() == 2);
  }

  TEST_CASE("a provider is given so many at a time, or as many as somebody named") {
    for (auto [named, under_way] : {std::pair<std::size_t, std::size_t>{0, 20}, {3, 3}, {50, 50}}) {
      CAPTURE(named);
      Asked world;
      world.options.in_flight = named;
      world.server.replies = std::deque<Reply>(50, said());
      std::vector<Result<Answer>> answers;
      HttpModel model(world.io.get_executor(), world.http, world.options);
      world.run(
          [&, most = under_way](World& here) { return ask_many(&model, &here, most, &answers); });
      CHECK(answers.size() == 50);
      CHECK(std::ranges::all_of(answers, [](const auto& one) { return one && one->text == "Hi"; }));
    }
  }
}
