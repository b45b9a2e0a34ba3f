#pragma once
#include <cstdint>
#include <string_view>

namespace upskill::document {

// About how many tokens a model reads for `text`. No vendor's tokenizer is asked, because they
// differ and most are not public; the rule follows how byte-pair tokenizers cut text: a word of up
// to 8 Latin letters is one token and longer ones go on by 4, digits go by 3, punctuation by 2, a
// single space belongs to the next word, indentation and newlines are one each, CJK is one a
// character, other scripts one for 2 characters. Good for "is this too long", not for a bill.
//
std::int64_t estimate_tokens(std::string_view text);

} // namespace upskill::document
