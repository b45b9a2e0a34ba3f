#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace upskill::store {

// Numbers as of sync::EntryKind, which this library must not include.
enum class ObjectKind : std::uint8_t { folder = 1, file = 2, executable = 3, link = 4 };

// One thing of a version that is to be kept. The views live as long as the call.
struct ObjectEntry {
  std::string_view path; // relative, `/` between parts, no leading or final slash
  ObjectKind kind = ObjectKind::file;
  std::uint64_t size = 0;                     // bytes of a file
  std::optional<std::string_view> bytes = {}; // of a file; nothing: to be read
  std::optional<Digest> content = {};         // SHA-256 that a file must have
  std::string_view target = {};               // of a link
};

// What may be in an object, checked when it is written and when it is read: relative paths of
// proper names within the bounds of protocol/base/bounds.h, links that lexically end inside the
// skill. A link through another link may still lead out, so nobody may follow links of an object
// unasked. invalid_argument, or too_large.
Result<void> check_object_entry(std::string_view path,
                                ObjectKind kind,
                                std::uint64_t size,
                                std::string_view target);

} // namespace upskill::store
