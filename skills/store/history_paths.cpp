#include "skills/store/history_paths.h"

#include "protocol/types/describe.h"

#include <algorithm>

namespace upskill::store {
namespace {

constexpr char k_end = '\0';

tl::unexpected<Error> damaged() {
  return fail(ErrorCode::corrupt, "sync.db holds a history entry whose folders cannot be read");
}

void put(std::string& out, std::string_view field) {
  out += field;
  out += k_end;
}

std::string hex_of(const std::optional<Digest>& digest) {
  return digest ? digest->hex() : std::string();
}

// Takes the next field off the front; nothing where none ends.
std::optional<std::string_view> take(std::string_view& text) {
  std::size_t end = text.find(k_end);
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

Result<std::optional<Digest>> take_digest(std::string_view& text) {
  std::optional<std::string_view> hex = take(text);
  if (!hex) {
    return damaged();
  }
  std::optional<Digest> digest = Digest::from_hex(*hex);
  if (!digest && !hex->empty()) {
    return damaged();
  }
  return digest;
}

} // namespace

Result<std::string> encode_history_paths(std::vector<HistoryPath> paths) {
  std::ranges::sort(paths, {}, &HistoryPath::path);
  if (std::ranges::adjacent_find(paths, {}, &HistoryPath::path) != paths.end()) {
    return fail(ErrorCode::invalid_argument, "a folder comes twice in a history entry");
  }
  std::string out;
  for (const HistoryPath& path : paths) {
    if (path.path.empty() || path.path.find(k_end) != std::string::npos) {
      return fail(ErrorCode::invalid_argument, "a folder of a history entry has no proper path");
    }
    put(out, path.path);
    put(out, enum_name(path.kind));
    put(out, hex_of(path.before));
    put(out, hex_of(path.after));
  }
  return out;
}

Result<std::vector<HistoryPath>> decode_history_paths(std::string_view text) {
  std::vector<HistoryPath> paths;
  while (!text.empty()) {
    std::optional<std::string_view> path = take(text);
    std::optional<std::string_view> word = take(text);
    const auto& kinds = EnumNames<ReplicaKind>::names;
    auto kind = word ? std::ranges::find(kinds, *word) : kinds.end();
    if (!path || path->empty() || kind == kinds.end()) {
      return damaged();
    }
    HistoryPath& one = paths.emplace_back();
    one.path = *path;
    one.kind = static_cast<ReplicaKind>(kind - kinds.begin());
    TRY_ASSIGN(one.before, take_digest(text));
    TRY_ASSIGN(one.after, take_digest(text));
  }
  return paths;
}

} // namespace upskill::store
