#pragma once
#include <cstdint>
#include <string_view>

namespace upskill::danger {

// What the first bytes of a file say that it is.
enum class Content : std::uint8_t {
  text,      // nothing that is known
  program,   // ELF, Mach-O, PE, WebAssembly
  byte_code, // of Python, Java, Android
  archive,   // zip, tar, gzip and their like
  media      // images, sounds, fonts, PDF, databases
};

// By the signatures of file(1); `text` where there is none.
Content content_of(std::string_view bytes);

// A zip whose first entry is encrypted (APPNOTE 4.4.4, bit 0).
bool is_encrypted_zip(std::string_view bytes);

} // namespace upskill::danger
