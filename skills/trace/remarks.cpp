#include "skills/trace/remarks.h"

#include <array>
#include <span>
#include <string>

namespace upskill::trace {
namespace {

using Phrases = std::span<const std::string_view>;

// Words that say nothing yet, before those that do.
constexpr std::array<std::string_view, 17> k_fillers = {
    "ok",
    "okay",
    "hmm",
    "hm",
    "well",
    "oh",
    "ah",
    "hey",
    "yes",
    "yep",
    "yeah",
    "but",
    "cool",
    "so",
    "and",
    "um",
    "please",
};

// At the start of a prompt. A comma stands for any punctuation, or the end.
constexpr std::array<std::string_view, 43> k_opening_corrections = {
    "no,",         "no that",       "no it",        "no you",        "no don't",      "no i",
    "no not",      "no use",        "no this",      "no we",         "nope",          "nah",
    "wait,",       "wait no",       "stop,",        "stop it",       "stop that",     "don't",
    "dont",        "do not",        "actually",     "you should",    "you shouldn't", "you were",
    "you missed",  "you forgot",    "you broke",    "you didn't",    "you did not",   "you ignored",
    "you skipped", "why did you",   "why are you",  "wrong",         "incorrect",     "not what",
    "not that",    "not like that", "doesn't work", "does not work", "didn't work",   "not working",
    "it's not",
};

// At the start of any sentence of its head.
constexpr std::array<std::string_view, 38> k_sentence_corrections = {
    "revert",           "undo",
    "roll back",        "rollback",
    "put it back",      "change it back",
    "that's not",       "that is not",
    "this is not",      "this isn't",
    "that isn't",       "that's wrong",
    "that is wrong",    "this is wrong",
    "it's wrong",       "it is wrong",
    "still not",        "still fails",
    "still failing",    "still broken",
    "still the same",   "it still",
    "that still",       "that doesn't work",
    "it doesn't work",  "this doesn't work",
    "that didn't work", "it didn't work",
    "that broke",       "i said",
    "i told you",       "i asked you",
    "i asked for",      "i meant",
    "stop doing",       "stop using",
    "stop adding",      "never do that",
};

constexpr std::array<std::string_view, 15> k_anywhere_corrections = {
    "not what i",
    "isn't what i",
    "wasn't what i",
    "instead",
    "you should have",
    "you shouldn't",
    "you should not",
    "you forgot",
    "you broke",
    "you ignored",
    "you missed",
    "as i said",
    "like i said",
    "is still failing",
    "is still broken",
};

constexpr std::array<std::string_view, 33> k_opening_approvals = {
    "thanks",       "thank you",      "thx",
    "great",        "perfect",        "lgtm",
    "looks good",   "looks great",    "nice",
    "awesome",      "excellent",      "well done",
    "good job",     "great job",      "good work",
    "brilliant",    "wonderful",      "love it",
    "ship it",      "it works",       "that works",
    "this works",   "works,",         "works now",
    "works great",  "works fine",     "works well",
    "now it works", "that worked",    "it worked",
    "that's great", "that's perfect", "\xF0\x9F\x91\x8D", // thumbs up
};

// Begin like a remark, and are none.
constexpr std::array<std::string_view, 12> k_no_remarks = {
    "no problem",
    "no worries",
    "no need",
    "no rush",
    "don't worry",
    "don't forget",
    "nice to have",
    "thanks in advance",
    "great question",
    "wrong number",
    "actually great",
    "actually works",
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\''
         || static_cast<unsigned char>(c) >= 0x80;
}

// Lower case, blanks as one, typographic apostrophes as typed ones; the end of a line is kept.
std::string normalized(std::string_view words) {
  std::string text;
  words = words.substr(0, k_remark_head);
  for (std::size_t i = 0; i < words.size(); ++i) {
    char c = words[i];
    if (words.substr(i).starts_with("\xE2\x80\x99")) {
      c = '\'';
      i += 2;
    }
    bool is_blank = c == ' ' || c == '\t' || c == '\r';
    if (is_blank && (text.empty() || text.back() == ' ' || text.back() == '\n')) {
      continue;
    }
    text += is_blank ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return text;
}

// Whether `text` begins with this phrase, as words of its own.
bool begins_with(std::string_view text, std::string_view phrase) {
  bool wants_end = phrase.ends_with(',');
  phrase.remove_suffix(wants_end ? 1 : 0);
  if (!text.starts_with(phrase)) {
    return false;
  }
  text.remove_prefix(phrase.size());
  return text.empty() || !(wants_end ? is_letter(text[0]) || text[0] == ' ' : is_letter(text[0]));
}

bool begins_with_any(std::string_view text, Phrases phrases) {
  for (std::string_view phrase : phrases) {
    if (begins_with(text, phrase)) {
      return true;
    }
  }
  return false;
}

std::string_view without_lead(std::string_view text) {
  while (!text.empty() && !is_letter(text[0])) {
    text.remove_prefix(1);
  }
  return text;
}

// Where the prompt gets to the point: at most three fillers are passed over.
std::string_view opening_of(std::string_view text) {
  text = without_lead(text);
  for (int i = 0; i < 3; ++i) {
    std::size_t end = 0;
    while (end < text.size() && is_letter(text[end])) {
      ++end;
    }
    bool is_filler = false;
    for (std::string_view filler : k_fillers) {
      is_filler = is_filler || text.substr(0, end) == filler;
    }
    if (!is_filler) {
      break;
    }
    text = without_lead(text.substr(end));
  }
  return text;
}

bool any_sentence_corrects(std::string_view text) {
  bool is_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool is_word = is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
    std::string_view rest = text.substr(i);
    if (is_word
        && ((is_start && begins_with_any(rest, k_sentence_corrections))
            || begins_with_any(rest, k_anywhere_corrections))) {
      return true;
    }
    if (is_word) {
      // `please revert` and `and undo it` say the same.
      is_start = begins_with(rest, "please") || begins_with(rest, "and") || begins_with(rest, "but")
                 || begins_with(rest, "just");
    } else if (text[i] == '.' || text[i] == '!' || text[i] == '?' || text[i] == ';'
               || text[i] == ',' || text[i] == '\n') {
      is_start = true;
    }
  }
  return false;
}

} // namespace

Remark remark_of(std::string_view words) {
  std::string text = normalized(words);
  std::string_view opening = opening_of(text);
  bool is_remark = !begins_with_any(opening, k_no_remarks);
  if ((is_remark && begins_with_any(opening, k_opening_corrections))
      || begins_with_any(opening, k_sentence_corrections) || any_sentence_corrects(text)) {
    return Remark::correction;
  }
  return is_remark && begins_with_any(opening, k_opening_approvals) ? Remark::approval
                                                                    : Remark::none;
}

Outcome outcome_of(const Course& course, Remark said_next) {
  if (course.is_interrupted) {
    return Outcome::interrupted;
  }
  if (said_next != Remark::none) {
    return said_next == Remark::correction ? Outcome::corrected : Outcome::approved;
  }
  if (course.is_failing) {
    return Outcome::failed;
  }
  return course.is_answered ? Outcome::done : Outcome::unknown;
}

} // namespace upskill::trace
