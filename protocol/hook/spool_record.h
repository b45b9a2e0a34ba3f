#pragma once
#include "protocol/hook/event.h"

#include <string>
#include <string_view>

namespace upskill::hook {

inline constexpr std::size_t k_max_record = 16u << 10; // bytes; the longest event fits in

// One event as it lies in the spool, little endian:
//
//     4  FF 'u' 'p' 's'    FF is in no UTF-8 text, so a reader finds the next record behind a torn
//     one 4  CRC-32 (IEEE 802.3) of all that follows 2  bytes of the rest: at most k_max_record
//     less these ten 1  version, 1 8  Unix milliseconds then for each field that is not empty: 1
//     which, 2 bytes of it, the bytes
//
// A reader leaves out fields that it does not know, and records of another version.
std::string encode_record(const HookEvent& event);

enum class Piece {
  record,    // `event` is it
  foreign,   // whole, and of a version that is not known
  torn,      // bytes that belong to no whole record; a whole one may follow
  unfinished // nothing whole follows: still being written, or torn where nobody writes any more
};

// What lies at the beginning of a spool's bytes. Unfinished takes 0 of them, all others at least
// one.
struct DecodedPiece {
  Piece piece = Piece::unfinished;
  std::size_t used = 0; // bytes
  HookEvent event = {};
};

DecodedPiece decode_piece(std::string_view bytes);

} // namespace upskill::hook
