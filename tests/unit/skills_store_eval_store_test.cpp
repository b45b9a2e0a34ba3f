#include "skills/store/eval_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

EvalStore open(const Folder& folder, EvalStoreBounds bounds = {}) {
  auto store = EvalStore::open(folder / "evals.db", bounds);
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

Digest question(int number) {
  return sha256(std::to_string(number));
}

EvaluationRow evaluation(std::string id, std::string skill, std::int64_t started_ms) {
  return {.id = std::move(id),
          .skill = std::move(skill),
          .skill_hash = "abc",
          .started_ms = started_ms,
          .finished_ms = started_ms + 1,
          .result = "{}"};
}

std::string ids_of(const std::vector<EvaluationRow>& rows) {
  std::string ids;
  for (const EvaluationRow& row : rows) {
    ids += row.id + " ";
  }
  return ids;
}

} // namespace

TEST_SUITE("EvalStore") {
  TEST_CASE("an answer is kept by question and sample, over a restart, and the first one stays") {
    Folder folder;
    {
      EvalStore store = open(folder);
      CHECK(value_of(store.add_answer(question(1), 1, "one", 10)));
      CHECK(value_of(store.add_answer(question(1), 2, "two", 11)));
      CHECK_FALSE(value_of(store.add_answer(question(1), 1, "other", 12)));
    }
    EvalStore store = open(folder);
    CHECK(store.answers() == 2);
    CHECK(store.answer_bytes() == 6);
    CHECK(value_of(store.find_answer(question(1), 1, 13))
          == AnswerRow{.value = "one", .stored_ms = 10, .used_ms = 10});
    CHECK(value_of(store.find_answer(question(1), 2, 13))->value == "two");
    CHECK_FALSE(value_of(store.find_answer(question(1), 3, 13)));
    CHECK_FALSE(value_of(store.find_answer(question(2), 1, 13)));
  }

  TEST_CASE("a replaced answer is the new one") {
    Folder folder;
    EvalStore store = open(folder);
    REQUIRE(store.replace_answer(question(1), 1, "new", 5));
    REQUIRE(store.replace_answer(question(1), 1, "newer", 6));
    CHECK(value_of(store.find_answer(question(1), 1, 7))
          == AnswerRow{.value = "newer", .stored_ms = 6, .used_ms = 6});
    CHECK(store.answers() == 1);
  }

  TEST_CASE("use is written down once a day") {
    Folder folder;
    EvalStore store = open(folder);
    REQUIRE(store.add_answer(question(1), 1, "one", 0));
    CHECK(value_of(store.find_answer(question(1), 1, k_used_step_ms))->used_ms == 0);
    CHECK(value_of(store.find_answer(question(1), 1, k_used_step_ms + 1))->used_ms
          == k_used_step_ms + 1);
    CHECK(value_of(store.find_answer(question(1), 1, k_used_step_ms + 2))->used_ms
          == k_used_step_ms + 1);
  }

  TEST_CASE("too many answers: those go that were not used for longest") {
    Folder folder;
    EvalStore store = open(folder, {.answers = 10});
    for (int i = 0; i < 10; ++i) {
      REQUIRE(store.add_answer(question(i), 1, "x", i));
    }
    CHECK(value_of(store.purge_answers()) == 0);
    REQUIRE(store.find_answer(question(0), 1, 2 * k_used_step_ms));
    REQUIRE(store.add_answer(question(10), 1, "x", 10));
    CHECK(value_of(store.purge_answers()) == 2); // down to nine
    CHECK(store.answers() == 9);
    CHECK(value_of(store.find_answer(question(0), 1, 2 * k_used_step_ms)));
    CHECK_FALSE(value_of(store.find_answer(question(1), 1, 11)));
    CHECK_FALSE(value_of(store.find_answer(question(2), 1, 11)));
    CHECK(value_of(store.find_answer(question(3), 1, 11)));
  }

  TEST_CASE("too many bytes of answers, too") {
    Folder folder;
    EvalStore store = open(folder, {.answer_bytes = 1000});
    for (int i = 0; i < 4; ++i) {
      REQUIRE(store.add_answer(question(i), 1, std::string(300, 'x'), i));
    }
    CHECK(store.answer_bytes() == 1200);
    CHECK(value_of(store.purge_answers()) == 1);
    CHECK(store.answer_bytes() == 900);
    CHECK_FALSE(value_of(store.find_answer(question(0), 1, 5)));
    // What only seems too much, for it was put in the same place again and again, stays.
    for (int i = 0; i < 9; ++i) {
      REQUIRE(store.replace_answer(question(3), 1, std::string(300, 'y'), 9));
    }
    CHECK(value_of(store.purge_answers()) == 0);
    CHECK(store.answer_bytes() == 900);
  }

  TEST_CASE("what was rolled back is neither there nor counted for long") {
    Folder folder;
    EvalStore store = open(folder, {.answers = 1});
    {
      Transaction transaction = value_of(store.begin());
      REQUIRE(store.add_answer(question(1), 1, "x", 1));
      REQUIRE(store.add_answer(question(2), 1, "x", 1));
    }
    REQUIRE(store.add_answer(question(3), 1, "x", 1));
    CHECK(value_of(store.purge_answers()) == 0);
    CHECK(store.answers() == 1);
  }

  TEST_CASE("what is too long is refused") {
    Folder folder;
    EvalStore store = open(folder);
    std::string value(k_max_answer_value + 1, 'x');
    CHECK(store.add_answer(question(1), 1, value, 1).error().code == ErrorCode::too_large);
    EvaluationRow row = evaluation("a", "git", 1);
    row.result.assign(k_max_evaluation_result + 1, 'x');
    CHECK(store.put_evaluation(row).error().code == ErrorCode::too_large);
  }

  TEST_CASE("evaluations by id, the newest of a skill, newest first") {
    Folder folder;
    EvalStore store = open(folder);
    EvaluationRow running = evaluation("d", "git", 40);
    running.finished_ms = std::nullopt;
    for (const EvaluationRow& row :
         {evaluation("b", "git", 20), evaluation("a", "git", 10), evaluation("c", "pdf", 30)}) {
      REQUIRE(store.put_evaluation(row));
    }
    REQUIRE(store.put_evaluation(running));
    CHECK(*value_of(store.find_evaluation("d")) == running);
    CHECK_FALSE(value_of(store.find_evaluation("e")));
    CHECK(value_of(store.newest_evaluation("git"))->id == "b");
    CHECK(value_of(store.newest_evaluation(""))->id == "c");
    CHECK_FALSE(value_of(store.newest_evaluation("none")));
    CHECK(ids_of(value_of(store.list_evaluations("", 9))) == "d c b a ");
    CHECK(ids_of(value_of(store.list_evaluations("git", 2))) == "d b ");
    running.finished_ms = 41;
    running.result = "[]";
    REQUIRE(store.put_evaluation(running));
    CHECK(*value_of(store.newest_evaluation("git")) == running);
  }

  TEST_CASE("old evaluations go, the newest stays however large it is") {
    Folder folder;
    EvalStore store = open(folder, {.evaluations = 2, .evaluation_bytes = 10});
    for (int i = 0; i < 4; ++i) {
      REQUIRE(store.put_evaluation(evaluation(std::to_string(i), "git", i)));
    }
    CHECK(value_of(store.purge_evaluations()) == 2);
    CHECK(ids_of(value_of(store.list_evaluations("", -1))) == "3 2 ");
    EvaluationRow large = evaluation("4", "git", 4);
    large.result.assign(100, 'x');
    REQUIRE(store.put_evaluation(large));
    CHECK(value_of(store.purge_evaluations()) == 2);
    CHECK(ids_of(value_of(store.list_evaluations("", -1))) == "4 ");
  }
}
