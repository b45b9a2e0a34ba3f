#pragma once
#include "daemon/await.h"
#include "daemon/evals/spending.h"
#include "daemon/models/model.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "skills/generate/prompt.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace upskill::evals {

inline constexpr int k_askings = 2; // of one question
inline constexpr std::size_t k_most_repeated = 64u
                                               << 10; // bytes of a reply that its model is shown

// Reads a reply, and may look at more than its words. What it cannot take is an error that the
// model can mend; `is_last` says that it will not be asked again, so that what can be done without
// is left out rather than refused.
template <class T>
using ReadReply = std::function<asio::awaitable<Result<T>>(std::string reply, bool is_last)>;

// How it is talked about.
struct Asked {
  std::function<std::string(const Error&)> correction = {}; // what the model is told then
  std::string written = {}; // what came of it, for people: `test cases`
  std::string hint = {};    // what a person may do where nothing can be made of it
};

// What a model is told whose JSON could not be taken.
std::string json_correction(const Error& problem);

// A reply as it may be read: refused where the model will not, too_large where it was cut off.
Result<std::string>
whole_reply(const models::Answer& answer, const std::string& model, const Asked& asked);

// That nothing can be made of what it wrote.
Error unreadable(Error problem, const std::string& model, const Asked& asked);

// The question of a prompt. Repetitions of the same question have other samples.
models::Request
question_of(generate::Prompt prompt, const std::string& model, std::uint32_t sample);

// Puts the reply and what is wrong with it behind the question.
void ask_again(models::Request& question, const models::Answer& answer, const std::string& text);

// Asks, and once more where the reply cannot be read. Errors: the model's own, at once: nobody
// argues with a server; refused likewise; corrupt, with what `read` says of the second reply.
template <class T>
asio::awaitable<Result<T>> ask_and_read(models::Model& model,
                                        models::Request question,
                                        Asked asked,
                                        ReadReply<T> read,
                                        Spending& spent) {
  Error problem;
  for (int asking = 1; asking <= k_askings; ++asking) {
    AWAIT(Result<models::Answer> answer, model.answer(question));
    CO_TRY(answer);
    spent.add(*answer);
    Result<std::string> reply = whole_reply(*answer, question.model, asked);
    if (!reply && reply.error().code == ErrorCode::refused) {
      co_return fail(std::move(reply).error());
    }
    Result<T> taken = fail(ErrorCode::internal, "nothing was read");
    if (reply) {
      AWAIT(taken, read(std::move(*reply), asking == k_askings));
    } else {
      taken = fail(std::move(reply).error());
    }
    if (taken) {
      co_return taken;
    }
    problem = std::move(taken).error();
    ask_again(question, *answer, asked.correction(problem));
  }
  co_return fail(unreadable(std::move(problem), question.model, asked));
}

} // namespace upskill::evals
