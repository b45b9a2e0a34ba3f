#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace upskill::bench {

// Steady clock.
std::int64_t now_ns();

// Seconds that it took.
double seconds_of(const std::function<void()>& work);

// Seconds of the processor that this process took for it: what work on one core takes, whoever else
// works beside it.
double cpu_seconds_of(const std::function<void()>& work);

// `share` 0.5 is the median. The nearest rank, so always a value that was measured.
double percentile(std::vector<double> values, double share);

inline double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

// Calls the works in turn, `runs` times, each round beginning with another one, so that a machine
// that slows down slows down all of them. Each answers what it measured; the medians come back.
std::vector<double> interleave(std::size_t runs, const std::vector<std::function<double()>>& works);

// The same with works that measure many times: all that each of them measured, of all rounds. Many
// short rounds of each let a rare delay of the machine fall on all of them alike.
std::vector<std::vector<double>>
pool(std::size_t runs, const std::vector<std::function<std::vector<double>()>>& works);

// Microseconds of `count` calls, one after the other, after some that do not count.
std::vector<double> time_calls(std::size_t count, const std::function<void()>& call);

// Keeps this process, and those it starts from now on, on one core; or lets it go again.
class OneCore {
public:
  OneCore();
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  ~OneCore();

private:
  unsigned char m_before[128] = {};
};

} // namespace upskill::bench
