#pragma once
#include "daemon/request_context.h"
#include "protocol/codec/codec.h"

#include <cstddef>
#include <vector>

// How much of a list goes into a model's context. People and their scripts get all of it.
namespace upskill::daemon {

// Bytes of JSON of what there may be many of in one answer; what is around it is small.
inline constexpr std::size_t k_short_answer = 14'000;

inline bool is_for_model(const RequestContext& context) {
  return !context.principal.empty();
}

// How many of the first entries fit into so many bytes of JSON; at least one where there is one.
template <class T> std::size_t fitting(const std::vector<T>& entries, std::size_t bytes) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    used += encode(entries[i]).size() + 1; // the comma
    if (used > bytes && i > 0) {
      return i;
    }
  }
  return entries.size();
}

// Keeps those that fit and returns how many do not.
template <class T> std::size_t keep_fitting(std::vector<T>& entries, std::size_t bytes) {
  const std::size_t all = entries.size();
  const std::size_t kept = fitting(entries, bytes);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
  return all - kept;
}

} // namespace upskill::daemon
