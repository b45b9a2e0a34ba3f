#pragma once
#include "protocol/types/describe.h"
#include "skills/store/database.h"
#include "skills/store/sync_rows.h"

#include <algorithm>
#include <optional>
#include <string>

// How sync.db's columns become fields: for sync_store_*.cpp only.
namespace upskill::store {

template <DescribedEnum E> Result<E> enum_column(const Statement& row, int column) {
  const auto& names = EnumNames<E>::names;
  auto at = std::ranges::find(names, row.text(column));
  if (at == names.end()) {
    return fail(ErrorCode::corrupt,
                "sync.db holds the unknown word `" + std::string(row.text(column)) + "`");
  }
  return static_cast<E>(at - names.begin());
}

inline std::optional<std::int64_t> optional_number(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

// 0 is no id yet.
inline std::optional<Id> id_or_new(Id id) {
  return id == 0 ? std::nullopt : std::optional(id);
}

inline tl::unexpected<Error> no_such(std::string_view what, Id id) {
  return fail(ErrorCode::not_found,
              "there is no " + std::string(what) + " `" + std::to_string(id) + "`");
}

// The id of a statement that ends in RETURNING id; not_found when it touched no row.
inline Result<Id> returned_id(Statement statement, std::string_view what, Id asked) {
  TRY_ASSIGN(bool found, statement.step());
  if (!found) {
    return no_such(what, asked);
  }
  Id id = statement.integer(0);
  TRY(statement.run());
  return id;
}

} // namespace upskill::store
