#include "daemon/generation/generation.h"

#include "daemon/await.h"
#include "skills/generate/test_cases.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace upskill::generation {
namespace {

using generate::Step;

constexpr std::string_view k_writing = "writing the skill";
constexpr std::string_view k_writing_both = "writing the skill and its test cases";
constexpr std::string_view k_refining = "refining the skill";
constexpr std::string_view k_writing_more = "writing more test cases";
constexpr std::string_view k_looking = "looking for counterexamples";

// How much of the progress a step is: samples, or one text.
std::size_t weight_of(const Step& step, std::size_t runs) {
  return step.kind == Step::Kind::evaluate ? step.cases.size() * runs : 1;
}

// What is the same twice is one lesson, and one question: who waits for the client counts those.
GenerationInputs without_copies(GenerationInputs inputs) {
  std::vector<std::string> distinct;
  for (std::string& text : inputs.evidence) {
    if (std::ranges::find(distinct, text) == distinct.end()) {
      distinct.push_back(std::move(text));
    }
  }
  inputs.evidence = std::move(distinct);
  return inputs;
}

} // namespace

// A question to a writer, as long as it is asked.
class Generation::Asking {
public:
  explicit Asking(Generation& generation)
      : m_generation(generation) {
    ++m_generation.m_asking;
  }

  ~Asking() { --m_generation.m_asking; }

  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

private:
  Generation& m_generation;
};

Generation::Generation(asio::any_io_executor executor,
                       GenerationInputs inputs,
                       Writers writers,
                       StudentRoom& room,
                       GenerationHooks hooks)
    : m_inputs(without_copies(std::move(inputs)))
    , m_writers(writers)
    , m_room(room)
    , m_hooks(std::move(hooks))
    , m_loop(m_inputs.loop)
    , m_lessons(m_inputs.evidence.size() > 1 ? m_inputs.evidence.size() : 0)
    , m_learned(executor)
    , m_steps(executor) {
  m_loop.add_own_cases(m_inputs.own_cases);
  if (m_hooks.sampling != nullptr) {
    m_hooks.sampling->on_question([this] { m_steps.wake(); });
  }
}

asio::awaitable<void> Generation::run() {
  StepHooks hooks;
  hooks.begin = [this] { begin_steps(); };
  hooks.is_over = [this] { return m_loop.ending().has_value(); };
  hooks.is_held_up = [this] { return waits_for_client(); };
  AWAIT(bool is_over, m_steps.run(std::move(hooks)));
  m_needs_client = !is_over;
}

void Generation::begin_steps() {
  for (Step& step : m_loop.take_steps()) {
    m_planned += weight_of(step, m_inputs.loop.runs);
    m_evaluating += step.kind == Step::Kind::evaluate ? 1 : 0;
    m_steps.start(carry_out(std::move(step)));
  }
}

// Nothing goes on by itself: all that is asked, the client is to answer.
bool Generation::waits_for_client() const {
  return m_hooks.sampling != nullptr && m_evaluating == 0 && m_asking > 0
         && m_hooks.sampling->waiting() == m_asking;
}

void Generation::tell(std::string_view doing) {
  if (m_hooks.progress) {
    m_hooks.progress(m_done, m_planned, doing);
  }
}

// What the budget keeps from being asked is no failure of anybody.
void Generation::note_end() {
  std::string why = m_hooks.stopped ? m_hooks.stopped() : std::string();
  if (!why.empty()) {
    m_loop.stop(std::move(why));
  }
}

asio::awaitable<void> Generation::work_of(Step step) {
  switch (step.kind) {
  case Step::Kind::write_cases:
    return write_cases(std::move(step));
  case Step::Kind::write_draft:
    return write_draft(std::move(step));
  case Step::Kind::refine:
    return refine(std::move(step));
  case Step::Kind::counterexamples:
    return look_for_counterexamples(std::move(step));
  case Step::Kind::evaluate:
    break;
  }
  return evaluate(std::move(step));
}

asio::awaitable<void> Generation::carry_out(Step step) {
  bool is_evaluation = step.kind == Step::Kind::evaluate;
  AWAIT_DONE(work_of(std::move(step)));
  m_done += is_evaluation ? 0 : 1;
  m_evaluating -= is_evaluation ? 1 : 0;
}

generate::CasesWanted Generation::cases_wanted() const {
  generate::CasesWanted wanted;
  wanted.task = m_inputs.brief.task;
  wanted.examples = m_inputs.brief.examples;
  wanted.tools = m_inputs.brief.tools;
  wanted.held_out = m_inputs.held_out;
  wanted.known = m_loop.inputs();
  if (m_inputs.current) {
    wanted.about = m_inputs.current->name + ": " + m_inputs.current->description;
  }
  return wanted;
}

// As many at a time as a model writes well, one after the other, so that none repeats another.
asio::awaitable<void> Generation::write_cases(Step step) {
  tell(m_loop.inputs().empty() ? k_writing_both : k_writing_more);
  generate::CasesWanted wanted = cases_wanted();
  eval::CaseSuite all;
  std::optional<Error> problem;
  while (all.cases.size() < step.count) {
    wanted.count = std::min(step.count - all.cases.size(), generate::k_most_cases);
    Asking asking(*this);
    AWAIT(Result<eval::CaseSuite> some, m_writers.cases.cases(wanted));
    if (!some || some->cases.empty()) {
      problem = some ? std::nullopt : std::optional(std::move(some).error());
      break;
    }
    bool is_all = some->cases.size() >= wanted.count;
    for (eval::Case& one : some->cases) {
      wanted.known.push_back(one.input);
      all.cases.push_back(std::move(one));
    }
    std::ranges::move(some->warnings, std::back_inserter(all.warnings));
    if (!is_all) {
      break; // the loop asks for the rest
    }
  }
  note_end();
  if (all.cases.empty() && problem) {
    m_loop.cases_written(step.id, fail(std::move(*problem)));
  } else {
    m_loop.cases_written(step.id, std::move(all));
  }
}

asio::awaitable<void> Generation::learn(std::size_t number) {
  generate::Brief brief = m_inputs.brief;
  brief.evidence = m_inputs.evidence[number];
  Asking asking(*this);
  AWAIT(Result<std::string> lesson, m_writers.teacher.lesson(generate::lesson_prompt(brief)));
  m_lessons[number] = std::move(lesson);
  m_learned.notify_all();
}

// Each session's lesson is drawn once, all at the same time; a session that gives none is left out.
asio::awaitable<Result<std::optional<generate::Prompt>>> Generation::first_prompt() {
  generate::Brief brief = m_inputs.brief;
  if (m_lessons.empty()) {
    brief.evidence = m_inputs.evidence.empty() ? std::string() : m_inputs.evidence.front();
    co_return std::optional(m_inputs.current ? generate::improve_prompt(brief, *m_inputs.current)
                                             : generate::draft_prompt(brief));
  }
  auto are_all_there = [this] {
    return std::ranges::all_of(m_lessons, [](const auto& lesson) { return lesson.has_value(); });
  };
  if (!m_is_learning) {
    m_is_learning = true;
    for (std::size_t i = 0; i < m_lessons.size(); ++i) {
      m_steps.start(learn(i));
    }
  }
  while (!are_all_there()) {
    AWAIT_DONE(m_learned.wait());
  }
  std::vector<std::string> lessons;
  std::optional<Error> problem;
  for (const std::optional<Result<std::string>>& lesson : m_lessons) {
    if (!*lesson) {
      problem = lesson->error();
    } else if (!(*lesson)->starts_with(generate::k_no_skill)) {
      lessons.push_back(**lesson);
    }
  }
  if (lessons.empty() && problem) {
    co_return fail(std::move(*problem));
  }
  if (m_inputs.current) {
    for (const std::string& lesson : lessons) {
      brief.evidence += lesson + "\n\n";
    }
    co_return std::optional(generate::improve_prompt(brief, *m_inputs.current));
  }
  if (lessons.empty()) {
    co_return std::nullopt;
  }
  co_return std::optional(generate::merge_prompt(brief, lessons));
}

asio::awaitable<Result<generate::DraftReply>>
Generation::ask_for_draft(generate::Prompt prompt, DraftFiles before, std::uint32_t sample) {
  generate::DraftWanted wanted;
  wanted.task = m_inputs.brief.task;
  wanted.name = m_inputs.current ? m_inputs.current->name : std::string();
  std::string front_matter = m_inputs.current ? m_inputs.current->front_matter : std::string();
  wanted.files = std::move(before);
  LookAtDraft look = [this, &front_matter](generate::Draft draft, bool is_last) {
    draft.front_matter = front_matter;
    return m_hooks.look(std::move(draft), is_last);
  };
  Asking asking(*this);
  AWAIT(Result<generate::DraftReply> reply,
        m_writers.teacher.draft(std::move(prompt), std::move(wanted), std::move(look), sample));
  co_return reply;
}

asio::awaitable<void> Generation::write_draft(Step step) {
  tell(m_inputs.loop.evaluates ? k_writing_both : k_writing);
  AWAIT(Result<std::optional<generate::Prompt>> prompt, first_prompt());
  Result<generate::DraftReply> reply = fail(ErrorCode::internal, "nothing was written");
  if (prompt && !*prompt) {
    reply = generate::DraftReply(generate::NotWarranted{"no session has a lesson to teach"});
  } else if (prompt) {
    auto sample = static_cast<std::uint32_t>(step.candidate + 1);
    DraftFiles before = m_inputs.current ? m_inputs.current->files : DraftFiles();
    AWAIT(reply, ask_for_draft(std::move(**prompt), std::move(before), sample));
  } else {
    reply = fail(std::move(prompt).error());
  }
  note_end();
  m_loop.draft_written(step.id, std::move(reply));
}

asio::awaitable<void> Generation::refine(Step step) {
  tell(k_refining);
  generate::Draft before = m_loop.attempts().at(*step.draft).draft;
  generate::Prompt prompt =
      generate::refine_prompt(m_inputs.brief, before, m_loop.failures_of(*step.draft));
  AWAIT(Result<generate::DraftReply> reply,
        ask_for_draft(std::move(prompt), std::move(before.files), 1));
  note_end();
  m_loop.draft_written(step.id, std::move(reply));
}

asio::awaitable<void> Generation::look_for_counterexamples(Step step) {
  tell(k_looking);
  Result<eval::CaseSuite> suite =
      fail(ErrorCode::invalid_argument, "nobody looks for counterexamples");
  if (m_writers.counterexamples != nullptr) {
    generate::Draft draft = m_loop.attempts().at(*step.draft).draft;
    Asking asking(*this);
    AWAIT(suite,
          m_writers.counterexamples->counterexamples(m_inputs.brief, std::move(draft), step.count));
  }
  note_end();
  m_loop.cases_written(step.id, std::move(suite));
}

asio::awaitable<void> Generation::evaluate(Step step) {
  std::optional<generate::Draft> draft;
  std::optional<students::OfferedSkill> skill = m_inputs.old;
  std::string doing = "asking " + m_room.options().students.at(step.student).name;
  if (step.draft) {
    const generate::Attempt& attempt = m_loop.attempts().at(*step.draft);
    draft = attempt.draft;
    skill = offered(*draft);
    doing += " (attempt " + std::to_string(attempt.attempt) + ")";
  }
  auto progress = [this, &doing] {
    ++m_done;
    tell(doing);
  };
  AWAIT(Result<Examined> examined,
        m_room.examine(step.student,
                       part_of(m_loop.suite(), step.cases),
                       std::move(skill),
                       std::move(draft),
                       progress));
  note_end();
  if (examined) {
    m_cached += static_cast<std::size_t>(
        std::ranges::count_if(examined->samples, [](const EvalSample& one) { return one.cached; }));
  }
  m_loop.evaluated(step.id, samples_of(std::move(examined)));
}

} // namespace upskill::generation
