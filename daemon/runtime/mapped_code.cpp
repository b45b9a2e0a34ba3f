#include "daemon/runtime/mapped_code.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace upskill::runtime {
namespace {

// Segments that may not be written hold exactly what their files hold, so dropping them loses
// nothing (madvise(2), MADV_DONTNEED on a private mapping of a file).
int release(dl_phdr_info* object, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) {
      continue;
    }
    // Whole pages only: what shares one with a neighbour is left.
    std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr + page - 1) / page * page;
    std::uintptr_t end = (object->dlpi_addr + segment.p_vaddr + segment.p_memsz) / page * page;
    if (begin < end) {
      ::madvise(reinterpret_cast<void*>(begin),
                end - begin,
                MADV_DONTNEED); // a failure costs memory only
    }
  }
  return 0;
}

} // namespace

void release_mapped_code() {
  ::dl_iterate_phdr(release, nullptr);
}

} // namespace upskill::runtime
