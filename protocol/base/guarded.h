#pragma once
#include <memory>
#include <mutex>
#include <utility>

namespace upskill {

// A value that several threads may use, one at a time. Owner: whoever has it, and moves it before
// others know of it. Thread: any.
template <class T> class Guarded {
public:
  // Returns what `work(value)` does. It must not wait for anything.
  template <class F> auto with(F work) {
    std::lock_guard lock(m_state->mutex);
    return work(m_state->value);
  }

private:
  struct State {
    std::mutex mutex = {};
    T value = {};
  };

  std::unique_ptr<State> m_state = std::make_unique<State>();
};

// A value that is made when it is first asked for. Owner: as above. Thread: any.
template <class T> class Late {
public:
  // `make()` returns a std::unique_ptr<T>; it is called once.
  template <class F> const T& get(F make) const {
    std::call_once(m_state->once, [&] { m_state->value = make(); });
    return *m_state->value;
  }

private:
  struct State {
    std::once_flag once = {};
    std::unique_ptr<T> value = {};
  };

  std::unique_ptr<State> m_state = std::make_unique<State>();
};

} // namespace upskill
