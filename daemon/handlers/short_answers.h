#pragma once
#include "daemon/request_context.h"
#include "protocol/codec/codec.h"
#include "protocol/types/skills.h"
#include "protocol/types/sync.h"

#include <cstddef>
#include <string>
#include <vector>

// What an answer becomes that goes into a model's context: short, and saying how to get the rest.
// People and their scripts get all of it.
namespace upskill::daemon {

// Bytes of JSON of what there may be many of in one answer; what is around it is small.
inline constexpr std::size_t k_short_answer = 14'000;

bool is_for_model(const RequestContext& context);

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

// At most so many code points; what is cut ends in `…`.
void cut_text(std::string& text, std::size_t points);

void shorten(SkillSummary& skill);
void shorten(SkillValidateResult& result);
void shorten(SyncNowResult& result);

// `of_one_skill`: somebody named the skill, and wants to see what its versions hold.
enum class ConflictDetail { overview, of_one_skill };
void shorten(SyncConflictsResult& result, ConflictDetail detail);

} // namespace upskill::daemon
