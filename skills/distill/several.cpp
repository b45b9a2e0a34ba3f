#include "skills/distill/several.h"

#include "skills/distill/quoting.h"
#include "skills/trace/excerpt.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace upskill::distill {
namespace {

// Bytes for the names of what is left out, and tokens for all that is said about it.
constexpr std::size_t k_list = 400;
constexpr std::size_t k_list_tokens = (k_list + 200) / 4;
static_assert(k_list_tokens == k_least_several_tokens - k_least_tokens);

// How many of `tokens` each gets that needs so many; in the same order.
std::vector<std::size_t> shares(const std::vector<std::size_t>& needs, std::size_t tokens) {
  std::vector<std::size_t> order(needs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return std::pair(needs[one], one) < std::pair(needs[other], other);
  });
  std::vector<std::size_t> shares(needs.size());
  std::size_t waiting = needs.size();
  for (std::size_t index : order) {
    shares[index] = std::min(std::max(needs[index], k_least_tokens), tokens / waiting);
    tokens -= shares[index];
    --waiting;
  }
  return shares;
}

std::string list_of(std::span<const Distiller* const> sessions) {
  std::string text = "[\u2026 " + trace::grouped(sessions.size())
                     + (sessions.size() == 1 ? " more session is" : " more sessions are")
                     + " left out, for which there is no room \u2026]";
  std::string names;
  for (const Distiller* session : sessions) {
    std::string name = safe_name(session->heading().session);
    if (names.size() + name.size() > k_list - 20) {
      names += ", \u2026";
      break;
    }
    names += (names.empty() ? "" : ", ") + name;
  }
  append_quoted(text, names);
  return text;
}

} // namespace

DistilledSeveral distill_several(std::span<const Distiller* const> sessions, std::size_t tokens) {
  DistilledSeveral result;
  tokens = std::clamp(tokens, k_least_several_tokens, k_unlimited_tokens);
  // The line feed in front of each but the first costs a token.
  auto fitting = [&](std::size_t room) {
    return std::min(sessions.size(), (room + 1) / (k_least_tokens + 1));
  };
  std::size_t count = fitting(tokens);
  if (count < sessions.size()) {
    tokens -= k_list_tokens;
    count = fitting(tokens);
  }
  std::vector<std::size_t> needs;
  for (const Distiller* session : sessions.first(count)) {
    needs.push_back(session->distilled({k_unlimited_tokens, {}}).tokens_after);
  }
  std::vector<std::size_t> given = shares(needs, tokens - count + 1);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (i >= count) {
      result.left_out.push_back(i);
      continue;
    }
    Distilled part = sessions[i]->distilled({given[i], {}});
    result.text += (result.text.empty() ? "" : "\n") + part.text;
    result.there.push_back(i);
    result.parts.push_back(std::move(part));
  }
  if (count < sessions.size()) {
    result.text += (result.text.empty() ? "" : "\n") + list_of(sessions.subspan(count));
  }
  return result;
}

} // namespace upskill::distill
