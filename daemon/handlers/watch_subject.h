#pragma once
#include "daemon/handlers/watch_exam.h"
#include "protocol/types/watch_reports.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace upskill::daemon {

// What somebody who looks on is told while samples come in.
using SubjectProgress = std::function<void(const WatchedSubject&)>;

// The verdict of one subject of the record: kept, or by a test. In mode `auto` models are asked as
// long as the budgets allow, else only what was answered before counts. Cancelled, it keeps
// nothing: what was answered is in the cache, so the next time it gets as far for nothing. Errors:
// what reading the skill's cases gives, changed where the skill is another by now, and what the
// store says.
asio::awaitable<Result<WatchedSubject>> examine_subject(WatchRoom room,
                                                        std::shared_ptr<const WatchExam> exam,
                                                        std::size_t subject,
                                                        SubjectProgress progress);

// Its verdict where one is kept, or where nothing has to be asked; nothing otherwise. Errors
// likewise.
asio::awaitable<Result<std::optional<WatchedSubject>>>
recall_subject(WatchRoom room, std::shared_ptr<const WatchExam> exam, std::size_t subject);

} // namespace upskill::daemon
