#include "daemon/models/answer_json.h"
#include "daemon/models/chain.h"
#include "tests/support/folder.h"
#include "tests/unit/daemon_models_kept.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

using namespace models_test;
using test::Folder;
using Json = nlohmann::json;

namespace {

struct Fixture {
  Folder folder;
  asio::io_context io;
  TalkingModel talker{io.get_executor()};
  runtime::Pool pool{2};

  ~Fixture() { pool.join(); }

  std::string records() { return folder / "records"; }

  std::vector<Result<Answer>> record(std::vector<Request> requests) {
    ChainOptions options{
        .identify = by_name(), .record = *Cassette::record_to(records()), .pool = pool.of(0)};
    auto model = chained(io.get_executor(), borrowed(talker), std::move(options));
    return answers_of(io, *model, std::move(requests));
  }

  Result<Answer> replay(Request request) {
    ReplayModel model(by_name(), *Cassette::replay_from(records()), pool.of(0));
    return answer_of(io, model, std::move(request));
  }

  std::string path_of(const Request& request) {
    return records() + "/" + Cassette::file_name(*Questions(by_name()).key(request));
  }

  // The fault of a file that somebody has changed.
  std::string fault_after(const std::function<void(Json&)>& change) {
    Json document = Json::parse(test::read(path_of(question("one"))));
    change(document);
    return fault_of(document.dump());
  }

  std::string fault_of(const std::string& bytes) {
    std::string before = test::read(path_of(question("one")));
    test::write(path_of(question("one")), bytes);
    Result<Answer> answer = replay(question("one"));
    test::write(path_of(question("one")), before);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::corrupt);
    std::string start = "`" + path_of(question("one")) + "`: ";
    REQUIRE(answer.error().message.starts_with(start));
    return answer.error().message.substr(start.size());
  }
};

} // namespace

TEST_SUITE("Cassette") {
  TEST_CASE("what was recorded is replayed, each sample its own, and nobody is asked") {
    Fixture fixture;
    Answer other{.text = "other", .stop = Stop::refusal, .model = "m", .provider = "p"};
    fixture.talker.says = {*fixture.talker.otherwise, other};
    fixture.record({question("one", 1), question("one", 2), question("two", 1)});
    Answer expected = *fixture.talker.otherwise;
    expected.cached = true;
    CHECK(*fixture.replay(question("one", 1)) == expected);
    CHECK(*fixture.replay(question("two", 1)) == expected);
    other.cached = true;
    CHECK(*fixture.replay(question("one", 2)) == other);
    CHECK(fixture.talker.asked.size() == 3);
  }

  TEST_CASE("a file is for people: the question in words, and no key") {
    Fixture fixture;
    fixture.record({question("one", 1)});
    Json document = Json::parse(test::read(fixture.path_of(question("one"))));
    CHECK(document["format"] == 1);
    CHECK(document["request"]["system"] == "be brief");
    CHECK(document["request"]["messages"][0]["text"] == "one");
    CHECK(document["request"]["model"] == "talker");
    CHECK(document["samples"][0]["sample"] == 1);
    CHECK(document["samples"][0]["answer"]["text"] == "hello");
    CHECK(document["samples"][0]["answer"]["cost"] == 0.01);
  }

  TEST_CASE("recording again replaces the sample and keeps the others") {
    Fixture fixture;
    fixture.record({question("one", 1), question("one", 2)});
    fixture.talker.otherwise->text = "news";
    fixture.record({question("one", 2)});
    CHECK(fixture.replay(question("one", 1))->text == "hello");
    CHECK(fixture.replay(question("one", 2))->text == "news");
  }

  TEST_CASE("samples of one question at the same time are all recorded") {
    Fixture fixture;
    RecordingModel model(fixture.io.get_executor(),
                         borrowed(fixture.talker),
                         by_name(),
                         *Cassette::record_to(fixture.records()),
                         fixture.pool.of(0));
    std::vector<Result<Answer>> answers;
    runtime::TaskGroup group(fixture.io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
    for (std::uint32_t sample = 1; sample <= 20; ++sample) {
      group.start(ask(&model, question("one", sample), &answers));
    }
    fixture.io.run();
    for (std::uint32_t sample = 1; sample <= 20; ++sample) {
      CHECK(fixture.replay(question("one", sample)).has_value());
    }
  }

  TEST_CASE("errors are not recorded") {
    Fixture fixture;
    fixture.talker.says = {fail(ErrorCode::busy, "later")};
    CHECK(fixture.record({question("one")})[0].error().code == ErrorCode::busy);
    CHECK(fixture.replay(question("one")).error().code == ErrorCode::not_found);
  }

  TEST_CASE("what is missing is told by model, question and file") {
    Fixture fixture;
    fixture.record({question("one", 1)});
    Result<Answer> other = fixture.replay(question("two lines\nof text"));
    CHECK(other.error().code == ErrorCode::not_found);
    CHECK(other.error().message
          == "nothing is recorded of `talker` for `two lines`: there is no file `"
                 + fixture.path_of(question("two lines\nof text")) + "`");
    CHECK(other.error().hint.find("--record") != std::string::npos);
    Result<Answer> sample = fixture.replay(question("one", 9));
    CHECK(sample.error().code == ErrorCode::not_found);
    CHECK(sample.error().message.find("has no sample 9") != std::string::npos);
    auto nowhere = Cassette::replay_from(fixture.folder / "nowhere");
    CHECK(nowhere.error().code == ErrorCode::not_found);
  }

  TEST_CASE("files of others are not believed") {
    Fixture fixture;
    fixture.record({question("one", 1)});
    CHECK(fixture.fault_of("") == "is no JSON object");
    CHECK(fixture.fault_of(std::string(100'000, '[')) == "is no JSON object");
    CHECK(fixture.fault_after([](Json& file) { file["format"] = 2; }) == "format: is not 1");
    CHECK(fixture.fault_after([](Json& file) { file["request"]["messages"][0]["text"] = "x"; })
          == "request: is another question than the one that the file is named by");
    CHECK(fixture.fault_after([](Json& file) { file["request"]["system"] = 1; })
          == "request.system: is no text");
    CHECK(fixture.fault_after([](Json& file) { file.erase("request"); })
          == "request.system: is no text");
    CHECK(fixture.fault_after([](Json& file) { file["samples"] = 1; })
          == "samples: is no list of at most 10,000 answers");
    CHECK(fixture.fault_after([](Json& file) { file["samples"][0]["sample"] = 5'000'000'000; })
          == "samples[0].sample: is no number of a sample");
    CHECK(fixture.fault_after([](Json& file) { file["samples"][0]["answer"]["text"] = 1; })
          == "samples[0].answer.text is no text");
    CHECK(fixture.fault_after([](Json& file) { file["samples"].push_back(file["samples"][0]); })
          == "samples[1].sample: is there twice");
    CHECK(fixture.replay(question("one", 1)).has_value()); // unharmed
  }

  TEST_CASE("a link is not followed, a long file is not read") {
    Fixture fixture;
    fixture.record({question("one", 1)});
    std::string path = fixture.path_of(question("one"));
    std::string target = fixture.folder / "target.json";
    REQUIRE(::rename(path.c_str(), target.c_str()) == 0);
    REQUIRE(::symlink(target.c_str(), path.c_str()) == 0);
    std::string before = test::read(target);
    Result<Answer> linked = fixture.replay(question("one", 1));
    CHECK(linked.error().message == "`" + path + "` is a link");
    CHECK(fixture.record({question("one", 2)})[0].error().code == ErrorCode::corrupt);
    CHECK(test::read(target) == before);
    REQUIRE(::unlink(path.c_str()) == 0);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(fixture.replay(question("one", 1)).error().message == "`" + path + "` is no file");
    REQUIRE(::unlink(path.c_str()) == 0);
    test::write(path, std::string(k_max_cassette_file + 1, ' '));
    CHECK(fixture.replay(question("one", 1)).error().code == ErrorCode::too_large);
  }
}
