#include "skills/store/settled_topics.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/store/folder_tree.h"
#include "skills/store/inbox_files.h"
#include "skills/store/inbox_record.h"
#include "skills/store/item_folder.h"

#include <algorithm>
#include <set>

namespace upskill::store {
namespace {

constexpr std::string_view k_settled = "declined.json";
constexpr std::string_view k_damaged = "declined-damaged-";
constexpr int k_most_damaged = 100;

std::set<std::string_view> words_of(std::string_view text) {
  std::set<std::string_view> words;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.insert(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Also through no link, and of what may lie there no more than a bound.
Result<std::vector<SettledTopic>> read_topics(int inbox) {
  Result<InboxFile> text = read_inner_file(inbox, std::string(k_settled), k_max_inbox_record);
  if (text) {
    return parse_settled(text->bytes);
  }
  if (text.error().code == ErrorCode::not_found) {
    return std::vector<SettledTopic>();
  }
  bool is_damage =
      text.error().code == ErrorCode::too_large || text.error().code == ErrorCode::unsupported;
  return is_damage ? fail(ErrorCode::corrupt, text.error().message) : fail(text.error());
}

Result<void> set_aside(const std::string& folder) {
  for (int n = 1; n <= k_most_damaged; ++n) {
    std::string to = std::string(k_damaged) + std::to_string(n) + ".json";
    Result<bool> moved = rename_to_new(join_path(folder, k_settled), join_path(folder, to));
    if (moved || moved.error().code != ErrorCode::already_exists) {
      return moved.map([](bool) {});
    }
  }
  return fail(ErrorCode::busy, "`" + folder + "` has too many damaged files");
}

} // namespace

bool is_same_topic(std::string_view a, std::string_view b) {
  std::set<std::string_view> one = words_of(a);
  std::set<std::string_view> other = words_of(b);
  std::size_t shared = static_cast<std::size_t>(
      std::ranges::count_if(one, [&](std::string_view word) { return other.contains(word); }));
  std::size_t shorter = std::min(one.size(), other.size());
  return shared > 0 && (one == other || (shared >= 2 && 3 * shared >= 2 * shorter)); // two of three
}

bool SettledTopics::has(std::string_view fingerprint) const {
  return std::ranges::any_of(topics, [&](const SettledTopic& topic) {
    return is_same_topic(topic.fingerprint, fingerprint);
  });
}

Result<SettledTopics> read_settled(int inbox, const std::string& folder) {
  SettledTopics settled;
  Result<std::vector<SettledTopic>> topics = read_topics(inbox);
  if (topics) {
    settled.topics = *std::move(topics);
  } else if (topics.error().code == ErrorCode::corrupt) {
    TRY(set_aside(folder));
  } else {
    return fail(std::move(topics).error());
  }
  TRY(each_name(inbox, [&](const std::string& name) -> Result<void> {
    if (name.starts_with(k_damaged)) {
      settled.problems.push_back(
          in_backticks(join_path(folder, name))
          + " could not be understood: what was declined in it may be proposed again; mend it and "
            "call it `declined.json`, or remove it");
    }
    return {};
  }));
  std::ranges::sort(settled.problems);
  return settled;
}

Result<void> keep_settled(const std::string& folder, std::vector<SettledTopic> topics) {
  if (topics.size() > k_max_settled) {
    topics.erase(topics.begin(), topics.end() - static_cast<std::ptrdiff_t>(k_max_settled));
  }
  return write_file_atomically(join_path(folder, k_settled), write_settled(topics), 0600);
}

} // namespace upskill::store
