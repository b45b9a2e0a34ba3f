#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::redact {

// How sure a rule is of what it finds.
enum class Confidence : std::uint8_t {
  definite, // a vendor's own form: it is replaced
  candidate // looks like a secret and may be none: it is told, and stays
};

// What makes a match harmless.
struct Allowlist {
  std::vector<std::string> regexes = {};   // found in the secret
  std::vector<std::string> stopwords = {}; // lower-case parts of the secret, whatever their case
  std::vector<std::string> before = {};    // match the end of the 64 bytes before the secret
};

// One kind of secret, in the form of gitleaks and betterleaks, whose names the keys have
// (rules.json). `before`, `longest`, `follow`, `block`, `confidence` and `allowlist.before` are
// ours.
struct Rule {
  std::string id;
  std::string description = {};
  std::string regex = {};                 // RE2 syntax, over bytes
  int secret_group = 0;                   // the group that is the secret; 0: all of the match
  std::vector<std::string> keywords = {}; // lower-case; the regex is tried only where one stands
  double entropy = 0; // bits a character that it has at least; 0: words and examples count too
  Allowlist allowlist = {};
  Confidence confidence = Confidence::candidate;
  std::size_t before = 0;    // bytes that a match may begin before its keyword; 0: it begins there
  std::size_t longest = 512; // bytes from the keyword that the regex is shown
  std::size_t follow = 0;    // bytes of a token behind the keyword without which it is not tried
  bool is_block = false;     // the regex is the head of a private key's block, or its foot
};

} // namespace upskill::redact

template <> struct upskill::EnumNames<upskill::redact::Confidence> {
  static constexpr std::array<std::string_view, 2> names{"definite", "candidate"};
};
