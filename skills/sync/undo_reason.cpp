#include "skills/sync/undo_reason.h"

#include <algorithm>
#include <charconv>

namespace upskill::sync {
namespace {

constexpr std::string_view k_undo_of = "undo of ";
constexpr std::string_view k_with = " with ";
constexpr std::string_view k_and = ", ";
constexpr std::string_view k_begun_in = ", begun in ";

// The number behind these words, both taken off the text; nothing where it goes on otherwise.
std::optional<store::Id> take(std::string_view& text, std::string_view words) {
  if (!text.starts_with(words)) {
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  store::Id id = 0;
  auto [at, problem] = std::from_chars(text.data() + words.size(), end, id);
  if (problem != std::errc{} || id <= 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return id;
}

} // namespace

std::string reason_of_undo(const UndoOf& undo) {
  std::string reason;
  for (std::size_t i = 0; i < undo.entries.size(); ++i) {
    reason += i == 0 ? k_undo_of : (i == 1 ? k_with : k_and);
    reason += std::to_string(undo.entries[i]);
  }
  if (undo.begun_in != 0) {
    reason += k_begun_in;
    reason += std::to_string(undo.begun_in);
  }
  return reason;
}

std::optional<UndoOf> undo_told_by(const store::HistoryRow& row) {
  std::string_view text = row.reason;
  UndoOf undo;
  for (std::string_view words = k_undo_of; std::optional<store::Id> id = take(text, words);) {
    undo.entries.push_back(*id);
    words = undo.entries.size() == 1 ? k_with : k_and;
  }
  undo.begun_in = take(text, k_begun_in).value_or(0);
  bool earlier = undo.begun_in < row.id
                 && std::ranges::all_of(undo.entries, [&](store::Id id) { return id < row.id; });
  return text.empty() && !undo.entries.empty() && earlier ? std::optional(std::move(undo))
                                                          : std::nullopt;
}

} // namespace upskill::sync
