#pragma once
#include "skills/trace/format.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace upskill::trace {

// Of one record, once long strings in it were cut.
inline constexpr std::size_t k_max_record = 8u << 20;

// The next piece of a file.
struct Piece {
  std::size_t consumed = 0;     // bytes that are dealt with; 0: more are needed
  std::string_view record = {}; // empty: what was consumed is no record
  std::uint64_t offset = 0;     // of the record, from where splitting began
  std::uint64_t length = 0;     // of the record, in the file
};

// Finds where the records of a file lie. Sans-IO: `bytes` begin where the last piece ended, and
// grow from call to call while more are needed. A record is followed by k_record_padding bytes that
// may be read.
class Splitter {
public:
  virtual ~Splitter() = default;
  // `at_end`: these are the last bytes of the file; then everything has to be consumed.
  virtual Piece next(std::string_view bytes, bool at_end) = 0;
  // Whether a fresh splitter may begin where the last piece ended.
  virtual bool may_resume() const = 0;
};

std::unique_ptr<Splitter> make_splitter(Format format);

} // namespace upskill::trace
