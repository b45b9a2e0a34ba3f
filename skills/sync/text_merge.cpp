#include "skills/sync/text_merge.h"

#include "protocol/base/utf8.h"
#include "skills/sync/text_diff.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::sync {
namespace {

// One change of one version.
struct Edit {
  LineChange change;
  std::size_t version;
};

// The text that stands between two lines of a version.
std::string_view
text_of(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  if (begin == end) {
    return {};
  }
  return {lines[begin].data(),
          static_cast<std::size_t>(lines[end - 1].data() - lines[begin].data())
              + lines[end - 1].size()};
}

} // namespace

bool is_mergeable_text(std::string_view bytes) {
  return bytes.size() <= k_max_merge_text && bytes.find('\0') == std::string_view::npos
         && is_utf8(bytes);
}

std::optional<std::string> merge_texts(std::string_view base,
                                       const std::vector<std::string_view>& versions) {
  if (!is_mergeable_text(base) || !std::ranges::all_of(versions, is_mergeable_text)) {
    return std::nullopt;
  }
  const std::vector<std::string_view> base_lines = split_lines(base);
  std::vector<std::vector<std::string_view>> lines;
  std::vector<Edit> edits;
  for (std::size_t version = 0; version < versions.size(); ++version) {
    lines.push_back(split_lines(versions[version]));
    for (const LineChange& change : diff_lines(base_lines, lines.back())) {
      edits.push_back({change, version});
    }
  }
  std::ranges::sort(
      edits, {}, [](const Edit& edit) { return std::pair(edit.change.a_begin, edit.version); });

  std::string merged;
  std::size_t done = 0; // lines of base that are in `merged`, or replaced in it
  for (auto edit = edits.begin(); edit != edits.end();) {
    // A region: edits that overlap or touch, across versions.
    std::size_t begin = edit->change.a_begin;
    std::size_t end = edit->change.a_end;

    struct Side {
      LineChange first, last;
    };

    std::map<std::size_t, Side> sides;
    for (; edit != edits.end() && edit->change.a_begin <= end; ++edit) {
      end = std::max(end, edit->change.a_end);
      auto [side, is_new] = sides.try_emplace(edit->version, Side{edit->change, edit->change});
      side->second.last = edit->change;
    }
    std::optional<std::string_view> replacement;
    for (const auto& [version, side] : sides) {
      std::string_view text = text_of(lines[version],
                                      side.first.b_begin - (side.first.a_begin - begin),
                                      side.last.b_end + (end - side.last.a_end));
      if (replacement && *replacement != text) {
        return std::nullopt;
      }
      replacement = text;
    }
    merged += text_of(base_lines, done, begin);
    merged += *replacement;
    done = end;
  }
  merged += text_of(base_lines, done, base_lines.size());
  return merged;
}

} // namespace upskill::sync
