#pragma once
#include "skills/distill/evidence.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::distill {

// What a call did, as far as another one may be the same again.
struct Attempt {
  std::string tool = {};
  std::string argument = {};  // the one that says most
  std::string signature = {}; // of a command (commands.h); empty for other tools
  std::uint32_t beat = 0;
  bool is_test = false;

  // The same command, by its signature, or two that run tests; for another tool the same argument.
  bool is_again(const Attempt& earlier) const;
  // Or one that may stand in its place: another tool than a shell, again in the same beat, as an
  // edit that failed is made with other words and a file is looked for elsewhere.
  bool may_replace(const Attempt& earlier) const;
};

// Failures that nothing has made good yet, the last 64. Owner: a Distiller. Thread: any, one at a
// time.
class OpenFailures {
public:
  // The same again joins what is open: of four the second gives way, and is counted in
  // `repeated`. Gives what has waited too long.
  std::optional<Unit> fail(Attempt attempt, Unit unit, std::uint64_t& repeated);
  // The failure that this success makes good: the newest of the same, or else the newest that it
  // may replace.
  std::optional<Unit> recover(const Attempt& attempt);
  // What went well right behind the newest failure, in the same beat: mostly what mends it, by
  // another command or an edit. Of the first three it takes the items, and says so.
  bool follow(std::uint32_t beat, std::vector<Item>& items);

  struct Open {
    Attempt attempt;
    Unit unit;
    int followed = 0;
  };

  const std::deque<Open>& all() const { return m_open; }

private:
  std::deque<Open> m_open = {};
};

} // namespace upskill::distill
