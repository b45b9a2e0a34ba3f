#pragma once
#include <atomic>
#include <cstddef>
#include <optional>

namespace upskill::mcp {

// How many bytes clients may make us hold until they are answered. One may be a part of another.
// Owner: a session, or the server. Thread: any. Lifetime: longer than its parts, and than what was
// taken from it.
class ByteBudget {
public:
  // What is so small is not counted, because calls and questions are bounded in number: who holds
  // all that there is keeps nobody from everyday calls.
  static constexpr std::size_t k_free = 4096;

  explicit ByteBudget(std::size_t limit, ByteBudget* whole = nullptr);

  // Bytes that are held; given back when it goes.
  class Share {
  public:
    Share() = default;
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;
    ~Share();

  private:
    friend class ByteBudget;
    Share(ByteBudget& budget, std::size_t bytes);

    ByteBudget* m_budget = nullptr;
    std::size_t m_bytes = 0;
  };

  // Nothing where there is no room for them, here or in the whole.
  std::optional<Share> take(std::size_t bytes);

private:
  bool add(std::size_t bytes);
  void remove(std::size_t bytes);

  std::size_t m_limit;
  ByteBudget* m_whole;
  std::atomic<std::size_t> m_held = 0;
};

} // namespace upskill::mcp
