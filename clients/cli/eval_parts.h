#pragma once
#include "clients/cli/page.h"
#include "protocol/types/eval_reports.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How what students did is told, the same by all who show it.
namespace upskill::cli {

// "$0.42"; of less than a cent what there is of it.
std::string dollars(double cost);
// "33 of 60 samples, 1 error".
std::string counts_of(const EvalArmReport& arm);
// Its pass rate as "55%", "-" where nothing is known.
std::string rate_of(const EvalArmReport& arm);
// Tokens in the mean of a sample, because the arms may have different numbers of them.
std::string tokens_of(const EvalArmReport& arm);
// "+27% to +52%".
std::string interval_of(const EvalLift& lift);
Tint tint_of(EvalVerdict verdict);
// How many cases gain and lose, why it is undecided, what would show.
std::string why_of(const EvalModelReport& model);
// "precision 90% [70%, 97%], recall ..., F1 ...".
std::string trigger_of(const EvalTrigger& trigger);
// How it is called among these: its model, its student, or both.
std::string name_of(const std::vector<EvalModelReport>& models, const EvalModelReport& model);
// "12 answers known from before, $0.42 spent now", without what there is none of.
std::string spent_of(std::int64_t cached, std::optional<double> cost);

// Tokens of a sample in both arms, and what they cost; nothing where they are not known.
void print_tokens(Page& page, const EvalModelReport& model);
// "Config source: ...", as every command begins that asks models.
void print_source(Page& page, std::string_view config);

} // namespace upskill::cli
