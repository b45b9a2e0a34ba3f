#pragma once
#include "clients/cli/page.h"
#include "clients/cli/parse.h"

#include <string>

namespace upskill::cli {

// `daemon run`: becomes upskilld with the words that follow. Comes back only on failure.
int run_daemon(const Invocation& invocation, const Environment& environment);
// `daemon start`.
int start_daemon(const Invocation& invocation, const Environment& environment);
// `daemon unit`: prints the systemd user unit with this installation's path in it.
int print_unit(const Invocation& invocation, const Environment& environment);
// `daemon stop` where none runs is done already; `daemon logs` then reads the file itself.
int stop_daemon(const Invocation& invocation, const Screen& screen, const Environment& environment);
int show_logs(const Invocation& invocation, const Screen& screen, const Environment& environment);

// The unit's text for a program of that path.
std::string unit_text(std::string_view program);
// The last `lines` lines of a text, without the newline at its end.
std::string_view last_lines(std::string_view text, std::size_t lines);

} // namespace upskill::cli
