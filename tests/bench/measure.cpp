#include "tests/bench/measure.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace upskill::bench {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_of(const std::function<void()>& work) {
  std::int64_t begin = now_ns();
  work();
  return static_cast<double>(now_ns() - begin) / 1e9;
}

double cpu_seconds_of(const std::function<void()>& work) {
  std::clock_t before = std::clock();
  work();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

std::vector<double> interleave(std::size_t runs,
                               const std::vector<std::function<double()>>& works) {
  std::vector<std::vector<double>> measured(works.size());
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      std::size_t which = (run + i) % works.size();
      measured[which].push_back(works[which]());
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& one : measured) {
    medians.push_back(median(std::move(one)));
  }
  return medians;
}

std::vector<std::vector<double>>
pool(std::size_t runs, const std::vector<std::function<std::vector<double>()>>& works) {
  std::vector<std::vector<double>> measured(works.size());
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      std::size_t which = (run + i) % works.size();
      std::vector<double> more = works[which]();
      measured[which].insert(measured[which].end(), more.begin(), more.end());
    }
  }
  return measured;
}

std::vector<double> time_calls(std::size_t count, const std::function<void()>& call) {
  for (std::size_t i = 0; i < count / 10; ++i) {
    call();
  }
  std::vector<double> taken;
  taken.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t begin = now_ns();
    call();
    taken.push_back(static_cast<double>(now_ns() - begin) / 1e3);
  }
  return taken;
}

static_assert(sizeof(cpu_set_t) <= 128);

OneCore::OneCore() {
  auto* before = reinterpret_cast<cpu_set_t*>(m_before);
  ::sched_getaffinity(0, sizeof *before, before);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, before)) {
      CPU_SET(core, &one);
      break;
    }
  }
  ::sched_setaffinity(0, sizeof one, &one);
}

OneCore::~OneCore() {
  ::sched_setaffinity(0, sizeof(cpu_set_t), reinterpret_cast<cpu_set_t*>(m_before));
}

} // namespace upskill::bench
