#pragma once
#include "protocol/base/result.h"
#include "skills/store/database.h"
#include "skills/store/regression_store.h"

#include <string>
#include <string_view>
#include <vector>

// What the regression_store*.cpp share, and nobody else.
namespace upskill::store {

// A hash that must be there.
inline Result<Digest> digest_column(const Statement& row, int column) {
  TRY_ASSIGN(std::optional<Digest> digest, row.digest(column));
  if (!digest) {
    return fail(ErrorCode::corrupt, "evals.db lacks the hash of a version");
  }
  return *digest;
}

// Every row of a query, as `read` has it.
template <class Row>
Result<std::vector<Row>> rows_of(Statement rows, Result<Row> (*read)(const Statement&)) {
  std::vector<Row> all;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return all;
    }
    TRY_ASSIGN(Row row, read(rows));
    all.push_back(std::move(row));
  }
}

inline Result<void> check_text(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() > most) {
    return fail(ErrorCode::too_large,
                std::string(what) + " of " + std::to_string(text.size())
                    + " bytes is too long to be kept, the most is " + std::to_string(most));
  }
  return {};
}

} // namespace upskill::store
