#include "daemon/generation/writer.h"

#include "skills/document/unicode.h"
#include "skills/eval/prompt_text.h"

#include <utility>
#include <variant>

namespace upskill::generation {
namespace {

// A draft has 5,000 tokens at most; what a model thinks counts too.
constexpr std::int64_t k_max_reply_tokens = 32'000;
constexpr std::size_t k_most_lesson = 16u << 10; // bytes

evals::Asked asked_for(std::string_view written) {
  return {evals::json_correction, std::string(written), "name another model, or say it otherwise"};
}

template <class T>
asio::awaitable<Result<T>> read_now(std::string reply,
                                    const std::function<Result<T>(std::string_view)>& read) {
  co_return read(reply);
}

asio::awaitable<Result<generate::DraftReply>> read_and_look(std::string reply,
                                                            const generate::DraftWanted& wanted,
                                                            const LookAtDraft& look,
                                                            bool is_last) {
  CO_TRY_ASSIGN(generate::DraftReply read, generate::read_draft(reply, wanted));
  if (std::holds_alternative<generate::NotWarranted>(read)) {
    co_return read;
  }
  AWAIT(Result<generate::Draft> draft, look(std::get<generate::Draft>(std::move(read)), is_last));
  CO_TRY(draft);
  co_return generate::DraftReply(std::move(*draft));
}

Result<std::string> read_lesson(std::string_view reply) {
  std::string text = eval::cut_middle(document::strip(reply), k_most_lesson);
  if (text.empty()) {
    return fail(ErrorCode::invalid_argument, "the reply is empty");
  }
  return text;
}

} // namespace

Writer::Writer(models::Model& model, std::string name)
    : m_model(model)
    , m_name(std::move(name)) {}

template <class T>
asio::awaitable<Result<T>> Writer::write(generate::Prompt prompt,
                                         std::string_view written,
                                         std::function<Result<T>(std::string_view)> read) {
  models::Request question = evals::question_of(std::move(prompt), m_name, 1);
  question.max_tokens = k_max_reply_tokens;
  evals::ReadReply<T> reader = [&read](std::string reply, bool) {
    return read_now<T>(std::move(reply), read);
  };
  AWAIT(Result<T> read_reply,
        evals::ask_and_read<T>(
            m_model, std::move(question), asked_for(written), std::move(reader), m_spent));
  co_return read_reply;
}

asio::awaitable<Result<generate::DraftReply>> Writer::draft(generate::Prompt prompt,
                                                            generate::DraftWanted wanted,
                                                            LookAtDraft look,
                                                            std::uint32_t sample) {
  wanted.mark = prompt.mark;
  models::Request question = evals::question_of(std::move(prompt), m_name, sample);
  question.max_tokens = k_max_reply_tokens;
  evals::Asked asked{generate::draft_correction, "skill", "name another teacher with `--model`"};
  evals::ReadReply<generate::DraftReply> reader = [&](std::string reply, bool is_last) {
    return read_and_look(std::move(reply), wanted, look, is_last);
  };
  AWAIT(Result<generate::DraftReply> draft,
        evals::ask_and_read<generate::DraftReply>(
            m_model, std::move(question), std::move(asked), std::move(reader), m_spent));
  co_return draft;
}

asio::awaitable<Result<std::string>> Writer::lesson(generate::Prompt prompt) {
  std::function<Result<std::string>(std::string_view)> read = read_lesson;
  AWAIT(Result<std::string> lesson,
        write<std::string>(std::move(prompt), "lesson", std::move(read)));
  co_return lesson;
}

asio::awaitable<Result<eval::CaseSuite>> Writer::cases(generate::CasesWanted wanted) {
  std::function<Result<eval::CaseSuite>(std::string_view)> read =
      [&wanted](std::string_view reply) { return generate::read_task_cases(reply, wanted); };
  AWAIT(Result<eval::CaseSuite> suite,
        write<eval::CaseSuite>(generate::task_cases_prompt(wanted), "test cases", std::move(read)));
  co_return suite;
}

asio::awaitable<Result<eval::CaseSuite>>
Writer::counterexamples(generate::Brief brief, generate::Draft draft, std::size_t count) {
  std::function<Result<eval::CaseSuite>(std::string_view)> read = [&](std::string_view reply) {
    return generate::read_counterexamples(reply, brief, count);
  };
  AWAIT(Result<eval::CaseSuite> suite,
        write<eval::CaseSuite>(generate::counterexample_prompt(brief, draft, count),
                               "counterexamples",
                               std::move(read)));
  co_return suite;
}

asio::awaitable<Result<eval::CaseSuite>>
Writer::queries(generate::Draft draft, std::string task, std::size_t count) {
  std::function<Result<eval::CaseSuite>(std::string_view)> read = [count](std::string_view reply) {
    return generate::read_queries(reply, count);
  };
  AWAIT(Result<eval::CaseSuite> suite,
        write<eval::CaseSuite>(
            generate::queries_prompt(draft, task, count), "trigger queries", std::move(read)));
  co_return suite;
}

asio::awaitable<Result<std::string>> Writer::description(generate::Prompt prompt) {
  std::function<Result<std::string>(std::string_view)> read = generate::read_description;
  AWAIT(Result<std::string> text,
        write<std::string>(std::move(prompt), "description", std::move(read)));
  co_return text;
}

} // namespace upskill::generation
