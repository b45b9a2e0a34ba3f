#pragma once
#include "clients/cli/page.h"
#include "protocol/types/watch_reports.h"

#include <string>
#include <string_view>
#include <vector>

// How watched skills are told, the same by all who show them.
namespace upskill::cli {

// "55%" and "47% to 63%"; "-" where nothing is known.
std::string share_of(const std::optional<EvalShare>& share);
std::string range_of(const std::optional<EvalShare>& share);
// "helps when read".
std::string_view measure_word(WatchMeasure measure);
// The model, and how it is asked where that is more than a chat.
std::string who_of(const std::string& model, const std::string& student);

Tint tint_of(WatchVerdict verdict);

// One word for how a skill stands: its verdict when it is at rest, `edited` where it can have none,
// else `testing`, `waits`, ...
std::string_view word_of(const WatchedSkill& skill);
// Of that word.
Tint tint_of(const WatchedSkill& skill);
// A person should look at it: it is worse, waits for a word, or something is wrong with it.
bool needs_attention(const WatchedSkill& skill);
// Cleaned; with the project where it lies in one.
std::string name_of(const WatchedSkill& skill, std::string_view home);

// The subject that says most of it: one that is worse, one that is tested now, else the first; null
// where there is none.
const WatchedSubject* telling_subject(const WatchedSkill& skill);
// "95% -> 57%", with this arrow; empty where nothing was drawn of either.
std::string rates_of(const WatchedSubject& subject, std::string_view arrow);

// "To go on takes about 25 samples, 32 if it is worse, 360 at most; $0.12 to $1.80."
std::string estimate_of(const WatchEstimate& estimate);

// Subjects as a table; fewer columns on a narrow screen. `held_against`: what the other version is
// called.
void print_subjects(Page& page,
                    const std::vector<WatchedSubject>& subjects,
                    std::size_t indent,
                    std::string_view held_against = "Accepted");

} // namespace upskill::cli
