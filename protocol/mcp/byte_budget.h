#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>

namespace upskill::mcp {

// How many bytes clients may make us hold until they are answered. One may be a part of another.
// Owner: a session, or the server. Thread: any.
class ByteBudget {
  struct Count;

public:
  // What is so small is not counted, because calls and questions are bounded in number: who holds
  // all that there is keeps nobody from everyday calls.
  static constexpr std::size_t k_free = 4096;

  explicit ByteBudget(std::size_t limit);
  ByteBudget(std::size_t limit, const ByteBudget& whole);

  // Bytes that are held; given back when it goes, also after the budget has gone.
  class Share {
  public:
    Share() = default;
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;
    ~Share();

  private:
    friend class ByteBudget;
    Share(std::shared_ptr<Count> count, std::size_t bytes);

    std::shared_ptr<Count> m_count;
    std::size_t m_bytes = 0;
  };

  // Nothing where there is no room for them, here or in the whole.
  std::optional<Share> take(std::size_t bytes);

private:
  struct Count {
    bool add(std::size_t bytes);
    void remove(std::size_t bytes);

    std::size_t limit;
    std::shared_ptr<Count> whole = {};
    std::atomic<std::size_t> held = 0;
  };

  std::shared_ptr<Count> m_count;
};

} // namespace upskill::mcp
