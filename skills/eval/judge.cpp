#include "skills/eval/judge.h"

#include "protocol/base/utf8.h"
#include "skills/document/unicode.h"
#include "skills/eval/json_text.h"
#include "skills/eval/prompt_text.h"
#include "skills/eval/reply_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace upskill::eval {
namespace {

using nlohmann::json;

JudgeOpinion undecided(std::string_view reason) {
  return {{}, std::string(utf8_prefix(reason, k_max_evidence))};
}

JudgeOpinion decided(bool holds, std::string_view evidence) {
  return {holds, std::string(utf8_prefix(evidence, k_max_evidence))};
}

// Case-folded, with one blank for each run of white space: models wrap lines as they like.
std::string comparable(std::string_view text) {
  std::string folded = document::fold_case(to_valid_utf8(text));
  std::string out;
  for (char c : folded) {
    bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out.substr(0, out.ends_with(' ') ? out.size() - 1 : out.size());
}

bool says_something(std::string_view quote) {
  return std::ranges::any_of(quote, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
  });
}

// Word for word: a judge that may be nearly right quotes `sm_90` from an answer that says `sm_80`.
bool is_passage(std::string_view quote, std::string_view text) {
  std::string wanted = comparable(quote);
  std::string shown = comparable(cut_middle(text, k_max_judged));
  if (says_something(wanted) && shown.find(wanted) != std::string::npos) {
    return true;
  }
  // Told to quote, some write quotation marks.
  constexpr std::string_view k_marks = "\"'`";
  if (wanted.size() > 2 && wanted.front() == wanted.back()
      && k_marks.find(wanted.front()) != std::string_view::npos) {
    wanted = comparable(std::string_view(wanted).substr(1, wanted.size() - 2));
    return says_something(wanted) && shown.find(wanted) != std::string::npos;
  }
  return false;
}

// What the reply says, in the words of the schema; or why it says nothing.
struct Reply {
  std::string verdict = {};
  std::string evidence = {};
  std::string problem = {};
};

std::string text_of(const json& object, const char* key) {
  auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

Reply read_reply(std::string_view text) {
  Result<std::string_view> found = find_object(text, "verdict");
  if (!found) {
    return {"", "", "its reply " + found.error().message};
  }
  Result<json> object = parse_test_file(*found); // no member twice
  if (!object) {
    return {"", "", "its reply says something twice"};
  }
  Reply reply;
  reply.verdict = document::fold_case(document::strip(text_of(*object, "verdict")));
  std::ranges::replace_if(
      reply.verdict, [](char c) { return c == ' ' || c == '-'; }, '_');
  reply.evidence = document::strip(text_of(*object, "evidence"));
  if (reply.verdict == "cannot_tell") {
    reply.problem = reply.evidence.empty() ? "it cannot tell" : reply.evidence;
  } else if (reply.evidence.empty()) {
    reply.problem = "it gave no evidence";
  }
  return reply;
}

std::string no_such_verdict(const std::string& verdict) {
  return "its verdict is " + in_backticks(utf8_prefix(verdict, 40));
}

std::string no_such_passage(const std::string& evidence) {
  return "what it quotes is not there: " + evidence;
}

Comparison no_preference(std::string_view reason) {
  return {{}, std::string(utf8_prefix(reason, k_max_evidence))};
}

Preference swap(Preference preference) {
  switch (preference) {
  case Preference::first:
    return Preference::second;
  case Preference::second:
    return Preference::first;
  case Preference::tie:
    break;
  }
  return Preference::tie;
}

Comparison swap(const Comparison& seen) {
  return {seen.preference ? std::optional(swap(*seen.preference)) : std::nullopt, seen.evidence};
}

} // namespace

tl::expected<std::string_view, JudgeOpinion> judged_text(const Case& one, const Observation& seen) {
  std::string_view text = seen.answer;
  std::string where = "the answer";
  if (!one.output_file.empty()) {
    where = in_backticks(one.output_file);
    auto at = seen.files.find(one.output_file);
    if (at == seen.files.end()) {
      return tl::make_unexpected(undecided(where + " was not looked for"));
    }
    if (at->second.state == WorkspaceFile::State::missing) {
      return tl::make_unexpected(decided(false, where + " is not in the workspace"));
    }
    if (at->second.state == WorkspaceFile::State::no_text) {
      return tl::make_unexpected(undecided(where + ": " + to_valid_utf8(at->second.reason)));
    }
    text = at->second.text;
  }
  if (document::strip(text).empty()) {
    return tl::make_unexpected(decided(false, where + " is empty"));
  }
  return text;
}

JudgeOpinion read_opinion(std::string_view reply, std::string_view answer) {
  Reply said = read_reply(reply);
  if (!said.problem.empty()) {
    return undecided(said.problem);
  }
  if (said.verdict == "no") {
    return decided(false, said.evidence);
  }
  if (said.verdict != "yes") {
    return undecided(no_such_verdict(said.verdict));
  }
  return is_passage(said.evidence, answer) ? decided(true, said.evidence)
                                           : undecided(no_such_passage(said.evidence));
}

Comparison
read_comparison(std::string_view reply, std::string_view first, std::string_view second) {
  Reply said = read_reply(reply);
  if (!said.problem.empty()) {
    return no_preference(said.problem);
  }
  std::string evidence(utf8_prefix(said.evidence, k_max_evidence));
  if (said.verdict == "tie") {
    return {Preference::tie, evidence};
  }
  if (said.verdict != "first" && said.verdict != "second") {
    return no_preference(no_such_verdict(said.verdict));
  }
  if (!is_passage(said.evidence, first) && !is_passage(said.evidence, second)) {
    return no_preference(no_such_passage(said.evidence));
  }
  return {said.verdict == "first" ? Preference::first : Preference::second, evidence};
}

Comparison agree(const Comparison& straight, const Comparison& swapped) {
  Comparison other = swap(swapped);
  if (!straight.preference || !other.preference) {
    return straight.preference ? other : no_preference(straight.evidence);
  }
  if (straight.preference == other.preference) {
    return straight;
  }
  if (straight.preference == Preference::tie || other.preference == Preference::tie) {
    return {Preference::tie, straight.evidence};
  }
  return no_preference("it prefers the answer that comes "
                       + std::string(straight.preference == Preference::first ? "first" : "last"));
}

JudgeOpinion at_least_as_good(const Comparison& straight, const Comparison& swapped) {
  Comparison other = swap(swapped);
  if (!straight.preference || !other.preference) {
    return undecided(straight.preference ? other.evidence : straight.evidence);
  }
  bool holds = *straight.preference != Preference::second;
  if (holds != (*other.preference != Preference::second)) {
    return undecided("it says so in one order of the two, and not in the other");
  }
  return decided(holds, straight.evidence);
}

} // namespace upskill::eval
