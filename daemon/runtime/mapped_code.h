#pragma once

namespace upskill::runtime {

// Takes the pages of this program and its libraries that are only read out of this process's
// memory. What is still in use comes back from the page cache with its next use; what only the
// start needed stays out, which is more than half of a daemon that only answers. Breakpoints of a
// debugger go with them. Any thread.
void release_mapped_code();

} // namespace upskill::runtime
