#pragma once
#include "clients/cli/parse.h"
#include "clients/connect/text_reader.h"

namespace upskill::cli {

// Decisions: Exit codes.
inline constexpr int k_done = 0;
inline constexpr int k_answer_is_no = 1;
inline constexpr int k_usage = 2;
inline constexpr int k_could_not = 3;
inline constexpr int k_interrupted = 130;

int exit_code_of(const Error& error);
// Of a result: 1 where the answer that was asked for is no.
int exit_code_of(const Invocation& invocation, const connect::TextReader& result);

} // namespace upskill::cli
