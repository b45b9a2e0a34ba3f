#pragma once
#include <string>
#include <string_view>

namespace upskill::document {

// The few things of Python's `str` and `unicodedata` that the reference validator leans on, and
// what checks of answers need, with the tables of utf8proc. Ill-formed UTF-8 stays as it is.

// Normalization form NFKC (Unicode TR15).
std::string to_nfkc(std::string_view text);
// The key under which texts that differ in case only are one: full case folding (Unicode 15, 3.13),
// then NFC, so that `STRASSE` and `straße` meet, and so do both ways to write `é`.
std::string fold_case(std::string_view text);
// str.strip(): white space of any script at both ends.
std::string_view strip(std::string_view text);
// True when str.lower() would change nothing.
bool is_lower_case(std::string_view text);
// True when each character is a letter or number of any script, or a hyphen.
bool is_letters_digits_hyphens(std::string_view text);

} // namespace upskill::document
