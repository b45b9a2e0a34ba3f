#include "daemon/evals/case_writer.h"

#include "daemon/await.h"
#include "daemon/evals/ask_and_read.h"

#include <utility>

namespace upskill::evals {
namespace {

asio::awaitable<Result<eval::CaseSuite>> read(std::string reply,
                                              const generate::CaseRequest& request) {
  co_return generate::read_written_cases(reply, request);
}

} // namespace

CaseWriter::CaseWriter(models::Model& model, std::string model_name)
    : m_model(model)
    , m_model_name(std::move(model_name)) {}

asio::awaitable<Result<eval::CaseSuite>> CaseWriter::write(generate::CaseRequest request) {
  models::Request question = question_of(generate::case_prompt(request), m_model_name, 1);
  Asked asked{
      json_correction, "test cases", "name another model with `--test-gen-model`, or write them"};
  ReadReply<eval::CaseSuite> reader = [&request](std::string reply, bool) {
    return read(std::move(reply), request);
  };
  AWAIT(Result<eval::CaseSuite> suite,
        ask_and_read<eval::CaseSuite>(
            m_model, std::move(question), std::move(asked), std::move(reader), m_spent));
  co_return suite;
}

} // namespace upskill::evals
