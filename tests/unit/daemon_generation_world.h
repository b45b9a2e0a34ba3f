#pragma once
#include "daemon/await.h"
#include "daemon/generation/generation.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Models that answer when a test says so, and a task of which every answer is known: codes of
// boxes.
namespace upskill::tests {

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline models::Answer said(std::string text) {
  models::Answer answer;
  answer.text = std::move(text);
  return answer;
}

// Answers as its function says, as soon as its gate is open.
class GatedModel : public models::Model {
public:
  using Say = std::function<Result<models::Answer>(const models::Request& request)>;

  GatedModel(asio::any_io_executor executor, Say say)
      : m_gate(std::move(executor))
      , m_say(std::move(say)) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request request) override {
    asked.push_back(request);
    UnderWay here(*this);
    while (!m_is_open) {
      AWAIT_DONE(m_gate.wait());
    }
    ++answered;
    co_return m_say(request);
  }

  void open() {
    m_is_open = true;
    m_gate.notify_all();
  }

  // How many questions have these words.
  std::size_t asked_of(std::string_view words) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(asked, [words](const models::Request& request) {
          return has(request.messages.front().text, words);
        }));
  }

  std::vector<models::Request> asked = {};
  std::size_t answered = 0;
  std::size_t under_way = 0;

private:
  struct UnderWay {
    explicit UnderWay(GatedModel& model)
        : m_model(model) {
      ++m_model.under_way;
    }

    ~UnderWay() { --m_model.under_way; }

    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    GatedModel& m_model;
  };

  runtime::Condition m_gate;
  Say m_say;
  bool m_is_open = false;
};

inline constexpr std::string_view k_rule = "The code ends as the box does.";

inline std::string skill_text() {
  return "---\nname: box-codes\ndescription: Tells the codes of boxes. Use it when asked for a "
         "code.\n---\n\n# Boxes\n\n"
         + std::string(k_rule) + "\n";
}

// Cases of the boxes from `first` on, as a model writes them.
inline std::string cases_text(int first, int count) {
  std::string text;
  for (int box = first; box < first + count; ++box) {
    std::string number = std::to_string(box);
    text += (text.empty() ? "" : ", ") + std::string(R"({"input": "What is on box )") + number
            + R"(?", "expected": {"contains": ["code-)" + number + R"(", "zulu-)" + number
            + R"("]}})";
  }
  return R"({"cases": [)" + text + "]}";
}

// A student who knows the codes by the skill alone.
inline Result<models::Answer> answer_of_student(const models::Request& request) {
  const std::string& asked = request.messages.front().text;
  if (!has(request.system, k_rule)) {
    return said("I do not know.");
  }
  std::size_t digits = asked.find_last_of("0123456789");
  std::string number = asked.substr(digits - 1, 2);
  return said("code-" + number + " zulu-" + number);
}

inline asio::awaitable<Result<generate::Draft>> take_as_it_is(generate::Draft draft, bool) {
  co_return draft;
}

inline asio::awaitable<void> join_group(runtime::TaskGroup* group) {
  co_await group->join();
}

// One generation that is under way while a test looks at it.
struct GenerationWorld {
  asio::io_context io;
  runtime::Pool pool{2};
  sandbox::Sandbox sandbox;
  GatedModel teacher;
  GatedModel case_writer;
  GatedModel student;
  generation::Writer writer{teacher, "teacher"};
  generation::Writer cases{case_writer, "cases"};
  generation::Writer* teaches = &writer;
  generation::Writer* writes_cases = &cases;
  generation::Writer* counterexamples = nullptr;
  models::Model* answers = &student;
  generation::GenerationInputs inputs;
  generation::GenerationHooks hooks;
  std::vector<std::exception_ptr> failures;
  runtime::TaskGroup group;
  std::optional<generation::StudentRoom> room;
  std::optional<generation::Generation> generation;

  GenerationWorld()
      : teacher(io.get_executor(), [](const models::Request&) { return said(skill_text()); })
      , case_writer(io.get_executor(),
                    [](const models::Request&) { return said(cases_text(11, 12)); })
      , student(io.get_executor(), answer_of_student)
      , group(io.get_executor(),
              [this](std::exception_ptr failure) { failures.push_back(failure); }) {
    inputs.brief.task = "Tell the code of a box.";
    inputs.loop.students = {"student"};
    inputs.loop.cases = 12;
    inputs.loop.runs = 1;
    inputs.loop.attempts = 1;
    inputs.loop.more_cases = 0;
    inputs.loop.resamples = 1000;
    hooks.look = take_as_it_is;
  }

  void start() {
    generation::StudentRoomOptions options;
    options.students = {{answers, "student"}};
    options.runs = inputs.loop.runs;
    room.emplace(io.get_executor(), pool, pool.of(0), sandbox, std::move(options));
    generation.emplace(io.get_executor(),
                       inputs,
                       generation::Writers{*teaches, *writes_cases, counterexamples},
                       *room,
                       hooks);
    group.start(generation->run());
    io.restart();
    io.poll();
  }

  // Lets things happen until it is so; a test that waits in vain is ended by its limit.
  void until(const std::function<bool()>& it_is_so) {
    io.restart();
    while (!it_is_so()) {
      io.run_one();
    }
  }

  void end() { run_coroutine(io, join_group(&group)); }

  void open_all() {
    teacher.open();
    case_writer.open();
    student.open();
  }

  const generate::Ending& ending() const {
    REQUIRE(generation->loop().ending());
    return *generation->loop().ending();
  }
};

} // namespace upskill::tests
