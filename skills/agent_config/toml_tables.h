#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_config {

using TomlPath = std::vector<std::string>;

// A line `key = value`.
struct TomlKey {
  TomlPath path = {};     // below its table
  std::string value = {}; // as it is written
  bool is_inline_table = false;
};

// A table of a TOML text: its header and what stands below it. The first one has no header.
struct TomlTable {
  TomlPath path = {};
  bool is_list = false;  // `[[path]]`
  std::size_t begin = 0; // of the header's line
  std::size_t end = 0;   // of the last line with something of the table in it, newline included
  std::vector<TomlKey> keys = {};
};

// The tables in their order. Checks the grammar of headers, keys, strings, lists and inline tables,
// and that no table has two headers; of numbers, dates and words only the letters. Errors:
// invalid_argument with the line (toml.io, v1.0.0).
Result<std::vector<TomlTable>> parse_toml_tables(std::string_view text);

// A basic string with its quotes.
std::string toml_quoted(std::string_view text);
// A key, bare where it may be.
std::string toml_key(std::string_view text);

} // namespace upskill::agent_config
