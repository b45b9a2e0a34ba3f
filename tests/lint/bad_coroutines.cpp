// One of each expression that coawait.query must find. Never compiled into anything:
// tests/lint/self_test shows that the query sees all of them.
#include <coroutine>
#include <initializer_list>
#include <string>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }

    std::suspend_never initial_suspend() { return {}; }

    std::suspend_never final_suspend() noexcept { return {}; }

    void return_void() {}

    void unhandled_exception() {}
  };
};

struct Awaitable {
  bool await_ready() { return true; }

  void await_suspend(std::coroutine_handle<>) {}

  int await_resume() { return 0; }
};

struct Options {
  std::string name;
  int size = 0;
};

struct Plain {
  int size = 0;
};

Awaitable with_options(Options);
Awaitable with_reference(const Plain&);
Awaitable with_list(std::initializer_list<std::string>);

template <typename Function> Awaitable with_function(Function) {
  return {};
}

Task bad(bool flag, std::string text) {
  co_await with_options(Options{"x", 1});          // bad: braces
  co_await with_reference({1});                    // bad: braces
  co_await with_list({"a", "b"});                  // bad: list
  co_await with_function([text] { return text; }); // bad: capture
  int chosen = flag ? co_await Awaitable() : 0;    // bad: choice
  Plain plain{.size = co_await Awaitable()};       // bad: inside
  (void)chosen, (void)plain;
}
