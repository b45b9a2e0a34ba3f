#pragma once
#include <string>

namespace upskill::trace {

// Takes out of a text what must not be kept or shown: secrets. Owner: whoever keeps texts. Thread:
// that of the stage that uses it, one at a time.
class TextFilter {
public:
  virtual ~TextFilter() = default;
  // `text` is decoded and valid UTF-8, and stays so.
  virtual void clean(std::string& text) = 0;
};

} // namespace upskill::trace
