#pragma once
#include "protocol/base/result.h"
#include "skills/archive/session_source.h"
#include "skills/store/trace_rows.h"
#include "skills/trace/summary.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace upskill::archive {

// Whether another program tells of the session than the one that had it: an export, which holds
// less than the agent's own file, however long it is.
bool is_retold(trace::Format format);

// Formats whose records say whose session they are; a file that does not is only begun.
bool tells_its_session(trace::Format format);

// Formats whose records say where the session ran, not always the first of them.
bool tells_its_folder(trace::Format format);

// Whose session it is, by what its file begins with; of a document, and where a first line is long,
// by as much as it takes, `with_folder` where it ran, too. `agent` keeps its sessions there; empty:
// not known. Errors as of SessionSource::open.
Result<trace::SessionSummary> words_of(const SessionSource& source,
                                       const std::string& path,
                                       const std::string& agent,
                                       bool with_folder,
                                       const std::stop_token& stop);

// Of the trace in a file, decompressed, as far as it can be read.
Result<std::uint64_t> length_of(const std::string& path, const std::stop_token& stop);

// Whether the file that a session is kept from is there, still tells of it, and says as much as
// this copy of it. Of two that say the same a plain one counts more, as its agent has it.
Result<bool> is_kept_from_better(const store::SessionRow& row,
                                 const SessionSource& copy,
                                 const std::string& path,
                                 const std::stop_token& stop);

std::string harness_or(const std::string& told, const std::string& agent, trace::Format format);

// By which the store knows a session.
std::string key_of(const trace::SessionSummary& words);
std::string key_of(const store::SessionRow& row);

} // namespace upskill::archive
