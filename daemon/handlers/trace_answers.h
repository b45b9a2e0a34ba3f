#pragma once
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "protocol/types/trace_changes.h"
#include "skills/archive/archive.h"
#include "skills/store/trace_rows.h"

#include <cstdint>
#include <string>

// From what is kept of sessions to what methods about them answer.
namespace upskill::daemon {

// `flagged` is to be filled in by who needs it: it is another question to the store.
TraceSummary summary_of(const store::SessionRow& row);

// The same with `flagged`.
Result<TraceSummary> summary_of(archive::Archive& archive, const store::SessionRow& row);

// What the parameters of trace_list and trace_search narrow by. `cwd` completes a project's path.
template <class P>
Result<store::SessionFilter>
filter_of(const P& params, const std::string& cwd, std::int64_t now_ms);

// How many a caller wants, from 1 to `most`; they get no more than `allowed`.
Result<std::size_t> limit_of(std::int64_t asked, std::int64_t most, std::int64_t allowed);

// Where a file that a caller names lies, behind links. What is there and is no file is refused:
// writing replaces it.
Result<std::string> output_file(const std::string& path);

// A folder that a caller names: absolute, or below its own.
Result<std::string>
folder_of(const std::string& folder, std::string_view name, const std::string& cwd);

} // namespace upskill::daemon
