#pragma once
#include "daemon/models/model.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace upskill::models {

// A model that is asked no more once it is clear that it will not answer: no key or a wrong one, no
// such model, no quota. Further calls get the same error at once. A model that has answered before
// is believed until it says so three times in a row, but for quotas: some servers say 403 of one
// question. For models behind HTTP: a script's `not_found` is about one question.
// Owner, thread, lifetime: as the model that it decorates, which it owns.
class GiveUpModel : public Model {
public:
  explicit GiveUpModel(std::unique_ptr<Model> inner)
      : m_inner(std::move(inner)) {}

  asio::awaitable<Result<Answer>> answer(Request request) override;

private:
  struct Record {
    bool has_answered = false;
    int in_a_row = 0; // errors of the lasting kind
    std::optional<Error> final = {};
  };

  std::unique_ptr<Model> m_inner;
  std::map<std::string, Record> m_records; // by the name in the request
};

} // namespace upskill::models
