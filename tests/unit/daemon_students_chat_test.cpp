#include "daemon/await.h"
#include "daemon/students/chat.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <vector>

using namespace upskill;
using namespace upskill::students;

namespace {

// Says one thing and remembers what it was asked.
class RecordingModel : public models::Model {
public:
  explicit RecordingModel(Result<models::Answer> says = models::Answer{})
      : m_says(std::move(says)) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request request) override {
    asked.push_back(std::move(request));
    co_return m_says;
  }

  std::vector<models::Request> asked;

private:
  Result<models::Answer> m_says;
};

constexpr std::string_view k_body = "Write commit messages as `type(scope): subject`.";

asio::awaitable<void> do_work(Student* student, Task task, Result<Work>* into) {
  AWAIT(*into, student->work(std::move(task)));
}

Result<Work> worked(models::Model& model, Task task) {
  asio::io_context io;
  Chat chat(model, "sonnet", {{{"git-commit", "", std::string(k_body)}}});
  Result<Work> work;
  tests::run_coroutine(io, do_work(&chat, std::move(task), &work));
  return work;
}

models::Request asked(Task task) {
  RecordingModel model;
  REQUIRE(worked(model, std::move(task)));
  REQUIRE(model.asked.size() == 1);
  return model.asked.front();
}

Task task_of(EvalArm arm) {
  Task task;
  task.input = "Commit my login form.";
  task.files = {{"b/notes.txt", "it is green"}, {"a.diff", "+login"}};
  task.arm = arm;
  task.sample = 3;
  return task;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

TEST_SUITE("Chat") {
  TEST_CASE("the arms differ in exactly the skill's text") {
    models::Request with = asked(task_of(EvalArm::with_skill));
    models::Request baseline = asked(task_of(EvalArm::baseline));
    // What the skill adds comes after all else, and is its name and its text.
    REQUIRE(with.system.starts_with(baseline.system));
    CHECK(with.system.substr(baseline.system.size())
          == "\n\n# Skill: git-commit\n\n" + std::string(k_body));
    CHECK_FALSE(baseline.system.empty());
    CHECK_FALSE(has(baseline.system, "kill"));
    with.system = baseline.system;
    CHECK(with == baseline);
  }

  TEST_CASE("the model is asked once, for text, and without tools") {
    const models::Request request = asked(task_of(EvalArm::with_skill));
    CHECK(request.model == "sonnet");
    REQUIRE(request.messages.size() == 1);
    CHECK(request.messages[0].role == models::Role::user);
    CHECK(request.messages[0].calls.empty());
    CHECK(request.tools.empty());
    CHECK(request.answer_schema.empty());
  }

  TEST_CASE("what is asked is the case's input and files, and nothing more") {
    for (EvalArm arm : {EvalArm::with_skill, EvalArm::baseline}) {
      CHECK(asked(task_of(arm)).messages[0].text
            == "Commit my login form."
               "\n\nThe file `a.diff`:\n\n+login"
               "\n\nThe file `b/notes.txt`:\n\nit is green");
      Task task;
      task.input = "  What is 2 + 2?\n";
      task.arm = arm;
      CHECK(asked(task).messages[0].text == "  What is 2 + 2?\n");
    }
  }

  TEST_CASE("repetitions are told apart") {
    Task task = task_of(EvalArm::baseline);
    CHECK(asked(task).sample == 3);
    task.sample = 41;
    CHECK(asked(task).sample == 41);
  }

  TEST_CASE("what the answer was and took arrives") {
    models::Answer answer;
    answer.text = "feat(login): add form";
    answer.usage = {.input = 900, .cache_read = 50, .cache_write = 8, .output = 11};
    answer.cost = .25;
    answer.model = "claude-sonnet-5";
    answer.milliseconds = 1500;
    RecordingModel model(answer);
    const Result<Work> work = worked(model, task_of(EvalArm::with_skill));
    REQUIRE(work);
    CHECK(work->usage == answer.usage);
    CHECK(work->cost == .25);
    CHECK(work->milliseconds == 1500);
    CHECK(work->model == "claude-sonnet-5");
    CHECK(work->observation.answer == "feat(login): add form");
    CHECK(work->observation.tokens == 969);
    CHECK(work->observation.cost_usd == .25);
    CHECK(work->observation.seconds == 1.5);
    // It has no tools and no workspace, so nothing is known of those.
    CHECK_FALSE(work->observation.tools_used);
    CHECK_FALSE(work->observation.skills_used);
    CHECK(work->observation.files.empty());
  }

  TEST_CASE("what is unknown stays unknown") {
    models::Answer answer;
    answer.text = "done";
    RecordingModel silent(answer);
    Result<Work> work = worked(silent, task_of(EvalArm::with_skill));
    REQUIRE(work);
    CHECK(work->usage == models::Usage{});
    CHECK_FALSE(work->cost);
    CHECK_FALSE(work->observation.tokens);
    CHECK_FALSE(work->observation.cost_usd);
    // Half of a sum is no sum.
    answer.usage.input = 900;
    RecordingModel half(answer);
    work = worked(half, task_of(EvalArm::with_skill));
    CHECK(work->usage.input == 900);
    CHECK_FALSE(work->observation.tokens);
  }

  TEST_CASE("a refusal is an error") {
    models::Answer answer;
    answer.text = "I would rather not.";
    answer.stop = models::Stop::refusal;
    RecordingModel model(answer);
    const Result<Work> work = worked(model, task_of(EvalArm::with_skill));
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::refused);
  }

  TEST_CASE("an answer that was cut off is an answer") {
    models::Answer answer;
    answer.text = "feat(lo";
    answer.stop = models::Stop::length;
    RecordingModel model(answer);
    const Result<Work> work = worked(model, task_of(EvalArm::with_skill));
    REQUIRE(work);
    CHECK(work->observation.answer == "feat(lo");
  }

  TEST_CASE("an error of the model is handed on as it is") {
    const Error error{ErrorCode::busy, "the server is busy", "later"};
    RecordingModel model(fail(error));
    const Result<Work> work = worked(model, task_of(EvalArm::baseline));
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::busy);
    CHECK(work.error().message == "the server is busy");
    CHECK(work.error().hint == "later");
  }
}
