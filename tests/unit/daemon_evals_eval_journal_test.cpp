#include "daemon/await.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/evals/evaluation_id.h"
#include "tests/support/folder.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::evals;
using models::Answer;
using models::AnswerKey;
using models::Request;
using test::Folder;
using Keep = models::AnswerStore::Keep;

namespace {

AnswerKey key(int number, std::uint32_t sample = 1) {
  return {sha256(std::to_string(number)), sample};
}

// A model that costs money; the process is killed when the last one that it may answer is asked.
class PaidModel : public models::Model {
public:
  PaidModel(int* asked, int dies_at)
      : m_asked(asked)
      , m_dies_at(dies_at) {}

  asio::awaitable<Result<Answer>> answer(Request request) override {
    if (++*m_asked == m_dies_at) {
      ::kill(::getpid(), SIGKILL);
    }
    co_return Answer{.text = request.messages.at(0).text, .cost = 0.01};
  }

private:
  int* m_asked;
  int m_dies_at;
};

struct World {
  asio::io_context io;
  telemetry::Log log = telemetry::Log::none();
  runtime::Pool pool{2};
  std::int64_t now_ms = 1000;
  EvalJournal journal;

  explicit World(const Folder& folder, store::EvalStoreBounds bounds = {})
      : journal(io.get_executor(),
                log,
                {.path = folder / "evals.db",
                 .pool = [this]() -> runtime::Pool& { return pool; },
                 .now_ms = [this] { return now_ms; },
                 .bounds = bounds}) {}

  ~World() { pool.join(); }

  void run(asio::awaitable<void> body) { tests::run_coroutine(io, std::move(body)); }
};

asio::awaitable<void>
check_kept(EvalJournal* journal, int number, std::optional<std::string> value) {
  AWAIT(std::optional<std::string> kept, journal->lookup(key(number)));
  CHECK(kept == value);
}

asio::awaitable<void> keep(EvalJournal* journal, int number, std::string value, Keep which) {
  AWAIT_DONE(journal->keep(key(number), std::move(value), which));
}

// A model that is asked for 20 answers, one after the other.
asio::awaitable<void> ask_twenty(World* world, int* asked, int dies_at, double* spent) {
  auto identify = [](const std::string& name) {
    return Result<models::Respondent>(models::Respondent{.provider = "test", .model = name});
  };
  models::CachedModel model(world->io.get_executor(),
                            std::make_unique<PaidModel>(asked, dies_at),
                            identify,
                            world->journal);
  for (int i = 0; i < 20; ++i) {
    Request request;
    request.model = "paid";
    models::Message message;
    message.text = "question " + std::to_string(i);
    request.messages.push_back(std::move(message));
    AWAIT(Result<Answer> answer, model.answer(std::move(request)));
    CHECK(answer->text == "question " + std::to_string(i));
    *spent += answer->cached ? 0 : *answer->cost;
  }
}

} // namespace

TEST_SUITE("EvalJournal") {
  TEST_CASE("what was put is there, now and after a restart") {
    Folder folder;
    {
      World world(folder);
      world.run(keep(&world.journal, 1, "one", Keep::first));
      world.run(keep(&world.journal, 1, "other", Keep::first));
      world.run(check_kept(&world.journal, 1, "one"));
      world.run(keep(&world.journal, 1, "newer", Keep::newest));
      world.run(check_kept(&world.journal, 1, "newer"));
      world.run(check_kept(&world.journal, 2, std::nullopt));
      world.run(world.journal.rest());
      world.run(check_kept(&world.journal, 1, "newer"));
      world.run(world.journal.stop());
    }
    World world(folder);
    world.run(check_kept(&world.journal, 1, "newer"));
  }

  TEST_CASE("more than fits into the queue waits, and all of it is kept") {
    Folder folder;
    World world(folder);
    runtime::TaskGroup group(world.io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
    for (int i = 0; i < 3000; ++i) {
      group.start(keep(&world.journal, i, std::to_string(i), Keep::first));
    }
    world.io.run();
    world.io.restart();
    for (int i = 0; i < 3000; ++i) {
      group.start(check_kept(&world.journal, i, std::to_string(i)));
    }
    world.io.run();
    CHECK(group.size() == 0);
  }

  TEST_CASE("who was killed does not pay twice") {
    Folder folder;
    pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      World world(folder);
      int asked = 0;
      double spent = 0;
      world.run(ask_twenty(&world, &asked, 11, &spent));
      ::_exit(1); // not reached
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    World world(folder);
    int asked = 0;
    double spent = 0;
    world.run(ask_twenty(&world, &asked, 0, &spent));
    CHECK(asked == 10); // the eleventh was never answered, ten were
    CHECK(spent == doctest::Approx(0.1));
  }

  TEST_CASE("without a database there are no answers, and that is all") {
    Folder folder;
    test::write(folder / "evals.db/is-a-folder", "");
    World world(folder);
    world.run(keep(&world.journal, 1, "one", Keep::first));
    world.run(check_kept(&world.journal, 1, std::nullopt));
    int asked = 0;
    double spent = 0;
    world.run(ask_twenty(&world, &asked, 0, &spent));
    CHECK(asked == 20);
  }

  TEST_CASE("a damaged database is put aside") {
    Folder folder;
    test::write(folder / "evals.db", std::string(5000, 'x'));
    World world(folder);
    world.run(keep(&world.journal, 1, "one", Keep::first));
    world.run(check_kept(&world.journal, 1, "one"));
    CHECK(test::read(folder / "evals.db.corrupt-19700101T000001Z").starts_with("xxx"));
  }

  TEST_CASE("too many answers: the oldest go") {
    Folder folder;
    World world(folder, {.answers = 10});
    for (int i = 0; i < 11; ++i) {
      world.now_ms += 1;
      world.run(keep(&world.journal, i, "x", Keep::first));
    }
    world.run(check_kept(&world.journal, 0, std::nullopt));
    world.run(check_kept(&world.journal, 10, "x"));
  }

  TEST_CASE("evaluations go through it, too") {
    Folder folder;
    World world(folder);
    auto body = [](EvalJournal* journal) -> asio::awaitable<void> {
      store::EvaluationRow row{.id = "a", .skill = "git", .finished_ms = 1, .result = "{}"};
      auto put = [row](store::EvalStore& store) { return store.put_evaluation(row); };
      AWAIT(Result<void> done, journal->with(std::move(put)));
      CHECK(done.has_value());
      auto find = [](store::EvalStore& store) { return store.newest_evaluation("git"); };
      AWAIT(Result<std::optional<store::EvaluationRow>> found, journal->with(std::move(find)));
      REQUIRE(found.has_value());
      CHECK(**found == row);
    };
    world.run(body(&world.journal));
  }

  TEST_CASE("ids: of their form, later ones sort later, no two alike") {
    std::string id = new_evaluation_id(1'763'884'800'000);
    CHECK(id.size() == 31);
    CHECK(id.find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz", 5) == std::string::npos);
    CHECK(id != new_evaluation_id(1'763'884'800'000));
    CHECK(id < new_evaluation_id(1'763'884'800'001));
    CHECK(new_evaluation_id(0).starts_with("eval-0000000000"));
    // The example of the specification's README.
    CHECK(new_evaluation_id(1'469'918'176'385).starts_with("eval-01aryz6s41"));
  }
}
