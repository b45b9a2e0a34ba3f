#include "daemon/runtime/pool.h"

namespace upskill::runtime {

Pool::Pool(std::size_t threads)
    : m_threads(threads) {}

Pool::~Pool() {
  join();
}

void Pool::join() {
  m_threads.join();
}

} // namespace upskill::runtime
