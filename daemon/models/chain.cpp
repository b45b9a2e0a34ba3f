#include "daemon/models/chain.h"

#include "daemon/models/give_up.h"

#include <utility>

namespace upskill::models {

std::unique_ptr<Model>
chained(asio::any_io_executor executor, std::unique_ptr<Model> innermost, ChainOptions options) {
  std::unique_ptr<Model> model = std::move(innermost);
  if (options.budget != nullptr) {
    model = std::make_unique<BudgetedModel>(
        std::move(model), std::move(options.price), *options.budget);
  }
  if (options.gives_up) {
    model = std::make_unique<GiveUpModel>(std::move(model));
  }
  if (options.answers != nullptr) {
    auto mode = options.fresh ? CachedModel::Mode::fresh : CachedModel::Mode::usual;
    model = std::make_unique<CachedModel>(
        executor, std::move(model), options.identify, *options.answers, mode);
  }
  if (options.record && options.pool) {
    model = std::make_unique<RecordingModel>(std::move(executor),
                                             std::move(model),
                                             std::move(options.identify),
                                             std::move(*options.record),
                                             *options.pool);
  }
  return model;
}

} // namespace upskill::models
