#include "skills/sync/undo_reason.h"

#include <doctest/doctest.h>

using namespace upskill;
using sync::UndoOf;

namespace {

std::optional<UndoOf> told(const char* reason, store::Id id = 9) {
  store::HistoryRow row;
  row.id = id;
  row.reason = reason;
  return sync::undo_told_by(row);
}

} // namespace

TEST_SUITE("the reason of an undo") {
  TEST_CASE("says what was undone, and is read again") {
    CHECK(sync::reason_of_undo({{2}}) == "undo of 2");
    CHECK(sync::reason_of_undo({{2, 3, 4}}) == "undo of 2 with 3, 4");
    CHECK(sync::reason_of_undo({{2}, 5}) == "undo of 2, begun in 5");
    for (const UndoOf& undo : {UndoOf{{2}}, UndoOf{{2, 3}}, UndoOf{{2}, 5}, UndoOf{{2, 3, 4}, 5}}) {
      CHECK(told(sync::reason_of_undo(undo).c_str()) == undo);
    }
  }

  TEST_CASE("of anything else is none") {
    for (const char* other : {"",
                              "undo of ",
                              "undo of x",
                              "undo of 0",
                              "undo of -2",
                              "undo of 2 ",
                              "undo of 2, 3",
                              "undo of 2 with ",
                              "undo of 2 with 3 with 4",
                              "undo of 2 with 3,",
                              "undo of 2, begun in",
                              ", begun in 5",
                              "undo of 99999999999999999999",
                              "conflict 2 resolved"}) {
      CAPTURE(other);
      CHECK_FALSE(told(other));
    }
  }

  TEST_CASE("cannot speak of what came later") {
    CHECK(told("undo of 2 with 3", 4));
    CHECK_FALSE(told("undo of 2 with 3", 3));
    CHECK_FALSE(told("undo of 2", 2));
    CHECK_FALSE(told("undo of 2, begun in 3", 3));
  }
}
