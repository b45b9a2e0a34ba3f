#include "daemon/handlers/short_answers.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_text_points = 300; // of a warning
constexpr std::size_t k_warnings_of_listed = 3;
constexpr std::size_t k_findings = 40;           // of one kind, of one skill
constexpr std::size_t k_warnings = 20;           // of one call
constexpr std::size_t k_beginning = 1'000;       // bytes of a difference, in an overview
constexpr std::size_t k_whole_versions = 48'000; // bytes of texts and differences of one skill

void cut_list(std::vector<std::string>& texts, std::size_t most, std::size_t points) {
  std::size_t more = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - more);
  for (std::string& text : texts) {
    cut_text(text, points);
  }
  if (more > 0) {
    texts.push_back("and " + std::to_string(more) + " more");
  }
}

// Whole lines of it.
void cut_difference(std::string& diff, std::size_t bytes, std::string_view advice) {
  if (diff.size() <= bytes) {
    return;
  }
  std::string_view begin = utf8_prefix(diff, bytes);
  std::size_t line = begin.rfind('\n');
  diff.resize(line == std::string_view::npos ? begin.size() : line + 1);
  diff += advice;
}

std::optional<std::int64_t> count_of(std::size_t left_out) {
  return left_out == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(left_out));
}

// Invalid ones first, then those with something to mend; else by path.
std::pair<int, std::string_view> place_of(const SkillValidation& skill) {
  bool is_to_mend = !skill.warnings.empty() || !skill.loaders.empty();
  return {!skill.valid ? 0 : is_to_mend ? 1 : 2, skill.path};
}

void shorten_version(ConflictVersion& version, ConflictDetail detail, std::size_t& room) {
  std::size_t size = version.diff.size() + (version.text ? version.text->size() : 0);
  if (detail == ConflictDetail::of_one_skill && size <= room) {
    room -= size;
    return;
  }
  version.text.reset();
  cut_difference(version.diff,
                 k_beginning,
                 detail == ConflictDetail::overview ? "… name the `skill` for all of it\n"
                                                    : "… `stored` has the whole version\n");
}

} // namespace

void cut_text(std::string& text, std::size_t points) {
  if (text.size() <= points || code_points(text) <= points) {
    return;
  }
  std::size_t end = 0;
  for (std::size_t left = points; left > 0; --left) {
    do {
      ++end;
    } while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  }
  text.resize(end);
  text += "…";
}

void shorten(SkillSummary& skill) {
  cut_text(skill.description, k_listed_description);
  skill.hash.clear();
  cut_list(skill.warnings, k_warnings_of_listed, k_text_points);
}

void shorten(SkillValidateResult& result) {
  for (SkillValidation& skill : result.skills) {
    std::erase_if(skill.loaders, [](const LoaderReport& loader) {
      return loader.verdict == LoaderVerdict::valid;
    });
    cut_list(skill.errors, k_findings, k_text_points);
    cut_list(skill.warnings, k_findings, k_text_points);
  }
  std::ranges::sort(result.skills, {}, place_of);
  result.more = count_of(keep_fitting(result.skills, k_short_answer));
}

void shorten(SyncNowResult& result) {
  result.more_steps = count_of(keep_fitting(result.steps, k_short_answer));
  cut_list(result.warnings, k_warnings, k_text_points);
}

void shorten(SyncConflictsResult& result, ConflictDetail detail) {
  std::size_t room = k_whole_versions;
  for (Conflict& conflict : result.conflicts) {
    for (ConflictVersion& version : conflict.versions) {
      shorten_version(version, detail, room);
    }
  }
  std::size_t bytes = detail == ConflictDetail::overview ? k_short_answer : 2 * k_whole_versions;
  result.more = count_of(keep_fitting(result.conflicts, bytes));
}

} // namespace upskill::daemon
