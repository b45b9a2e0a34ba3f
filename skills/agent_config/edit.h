#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_config {

enum class Form : std::uint8_t { json, toml };

// Where an entry stands: the member `key` of the object at `parents`, or, with `is_element`, an
// element of the list at `parents`. In TOML the table of that name.
struct EntryPlace {
  std::vector<std::string> parents = {};
  std::string key = {};
  bool is_element = false;

  friend bool operator==(const EntryPlace&, const EntryPlace&) = default;
};

// What must be known to take an entry out again as if it had never been there.
struct EntryTrace {
  int made = 0;         // how many of the containers around it were made for it, from the inside
  std::string was = {}; // JSON: the empty container that it was put into; TOML: all that was added

  friend bool operator==(const EntryTrace&, const EntryTrace&) = default;
};

enum class PutOutcome : std::uint8_t {
  added,
  present, // this very entry is there already
  foreign  // another one of that name is, and stays
};

struct PutResult {
  PutOutcome outcome = PutOutcome::added;
  std::string text = {}; // as it was, unless added
  EntryTrace trace = {};
};

enum class TakeOutcome : std::uint8_t {
  taken,
  gone,  // it is not there
  edited // something else stands there now, and stays
};

struct TakeResult {
  TakeOutcome outcome = TakeOutcome::taken;
  std::string text = {};
};

// Puts an entry into a configuration, behind its siblings; every other byte stays. `value` is JSON;
// in TOML an object of texts and lists of texts. Layout, line ends and indentation are taken from
// the text. Errors: invalid_argument for a text that is not of that form, or has something at
// `parents` that is no container; too_large.
Result<PutResult>
put_entry(Form form, std::string_view text, const EntryPlace& place, std::string_view value);

// Takes out what put_entry() has put in, where it still says the same. Entries of one text are
// taken in reverse order; then, when nobody edited it, the text is what it was, byte for byte.
Result<TakeResult> take_entry(Form form,
                              std::string_view text,
                              const EntryPlace& place,
                              std::string_view value,
                              const EntryTrace& trace);

// Whether nothing but blanks, and in JSON empty brackets, is left.
bool is_empty_config(Form form, std::string_view text);

// The two forms, each in a file of its own.
Result<PutResult>
put_json_entry(std::string_view text, const EntryPlace& place, std::string_view value);
Result<TakeResult> take_json_entry(std::string_view text,
                                   const EntryPlace& place,
                                   std::string_view value,
                                   const EntryTrace& trace);
Result<PutResult>
put_toml_entry(std::string_view text, const EntryPlace& place, std::string_view value);
Result<TakeResult> take_toml_entry(std::string_view text,
                                   const EntryPlace& place,
                                   std::string_view value,
                                   const EntryTrace& trace);

} // namespace upskill::agent_config
