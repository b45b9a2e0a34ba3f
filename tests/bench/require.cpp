#include "tests/bench/bench.h"

namespace upskill::bench {

void require(bool fact, std::string_view otherwise) {
  if (!fact) {
    throw Problem(std::string(otherwise));
  }
}

} // namespace upskill::bench
