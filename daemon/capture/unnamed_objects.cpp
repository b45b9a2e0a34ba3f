#include "daemon/capture/unnamed_objects.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <charconv>
#include <string_view>
#include <unordered_set>

namespace upskill::capture {
namespace {

constexpr std::string_view k_mark = "objects_mark";
constexpr std::string_view k_since =
    "objects_since"; // Unix time in ms: those from then on are ours
constexpr std::string_view k_mark_file = ".mark";
constexpr std::size_t k_max_mark = 64;
constexpr std::int64_t k_unnamed_ms = 24LL * 3600 * 1000; // so long something may still name it

} // namespace

Result<void>
remove_unnamed(archive::Archive& archive, const std::string& folder, std::int64_t now_ms) {
  store::TraceStore& store = archive.store();
  std::string path = join_path(folder, k_mark_file);
  TRY_ASSIGN(std::optional<std::string> known, store.setting(k_mark));
  TRY_ASSIGN(std::optional<std::string> since_text, store.setting(k_since));
  Result<std::string> there = read_file(path, k_max_mark);
  std::int64_t since = now_ms;
  if (known && since_text && there && *there == *known) {
    std::from_chars(since_text->data(), since_text->data() + since_text->size(), since);
  }
  std::string mark = std::to_string(now_ms);
  TRY(store.set_setting(k_since, std::to_string(since)));
  TRY(write_file_atomically(path, mark, 0600, Durability::process_crash));
  TRY(store.set_setting(k_mark, mark));
  TRY_ASSIGN(std::unordered_set<std::string> named, store.object_names());
  TRY(archive.objects().remove_unreferenced(named, since, now_ms - k_unnamed_ms));
  return {};
}

} // namespace upskill::capture
