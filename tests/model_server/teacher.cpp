#include "tests/model_server/teacher.h"

#include <algorithm>
#include <array>

namespace upskill::model_server {
namespace {

constexpr std::size_t k_case_count = 20; // whoever wants fewer takes the first ones
constexpr std::size_t k_counter_count = 5;
constexpr std::size_t k_query_count = 10; // of either kind
constexpr std::string_view k_description =
    "How numbered questions are answered. Use it for each of them.";
// Before the number of a query, which no other query has.
constexpr std::string_view k_ticket = "Ticket ";
// What a first draft holds that is good for nothing, so that a refinement is told from it.
constexpr std::string_view k_first_try = "first-try-without-a-lesson";

constexpr std::array<std::string_view, 11> k_drafts{"plain",
                                                    "prose",       // a good one behind chat
                                                    "talk",        // chat, and no skill
                                                    "fenced",      // in a code fence, chat around
                                                    "broken-yaml", // a good one but for its head
                                                    "empty",
                                                    "long",     // fifty pages
                                                    "no-skill", // none is warranted
                                                    "useless-first",
                                                    "script",          // and a program that works
                                                    "failing-script"}; // and one that does not
constexpr std::array<std::string_view, 3> k_cases{"plain",
                                                  "anything", // every answer passes
                                                  "echoed"};  // the question itself passes
constexpr std::array<std::string_view, 3> k_counters{"plain",
                                                     "talk",      // chat, and no case
                                                     "anything"}; // every answer passes
constexpr std::array<std::string_view, 4> k_descriptions{
    "better",  // has words of all that should pick it, and of nothing else
    "overfit", // of the draft's, and the numbers of those messages that it was shown
    "greedy",  // of every message
    "talk"};   // chat, and no description

bool has(std::string_view body, std::string_view text) {
  return body.find(text) != std::string_view::npos;
}

// Quotes within a message are escaped, so these are members of the request and nobody's words.
bool is_a_task(std::string_view body) {
  return has(body, R"("messages":[{"content":"You are given a task.)");
}

// Whether this member is what it wants as JSON.
bool wants(std::string_view body, std::string_view member) {
  return has(body, R"("response_format":{)") && has(body, "\"" + std::string(member) + "\":{");
}

bool wants_counterexamples(std::string_view body) {
  return has(body, R"("messages":[{"content":"You look for tasks at which a skill does harm.)");
}

bool is_asked_again(std::string_view body) {
  return has(body, R"("role":"assistant")");
}

std::string hexadecimal(std::uint64_t number) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  for (int shift = 44; shift >= 0; shift -= 4) {
    text += k_digits[(number >> shift) & 15];
  }
  return text;
}

std::string document(const std::string& front_matter, const std::string& body) {
  return "---\n" + front_matter + "---\n\n# Numbered questions\n\n" + body;
}

// A file of the skill, behind the mark that the request names.
std::string program(std::string_view body, std::string_view text) {
  constexpr std::string_view k_before = "The mark is ";
  constexpr std::size_t k_digits = 16;
  std::size_t at = body.find(k_before);
  std::string mark(at == std::string_view::npos ? "" : body.substr(at + k_before.size(), k_digits));
  return "\nFILE " + mark + " scripts/count.sh\n\n````\n#!/bin/sh\n" + std::string(text)
         + "\n````\n";
}

std::string cases_of(std::size_t count,
                     std::string_view kind,
                     std::string_view expected,
                     const std::string& number) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) {
    text += (i == 1 ? "" : ",") + (R"({"expected":{"contains":[")" + std::string(expected))
            + R"("]},"input":")" + std::string(kind) + " " + number + "-" + std::to_string(i)
            + R"(: what is to be done?"})";
  }
  return R"({"cases":[)" + text + "]}";
}

std::string write_queries(const std::string& number) {
  std::string text;
  for (std::size_t i = 1; i <= 2 * k_query_count; ++i) {
    bool should = i <= k_query_count;
    std::string_view asks = !should      ? "whose receipt is this?"
                            : i % 3 == 0 ? "one of the numbered questions."
                                         : "which ordinal has it?";
    text += (i == 1 ? "" : ",") + (R"({"query":")" + std::string(k_ticket)) + number + "-"
            + std::to_string(i) + ": " + std::string(asks) + R"(","should_trigger":)"
            + (should ? "true}" : "false}");
  }
  return R"({"queries":[)" + text + "]}";
}

// The numbers of all messages that a request shows.
std::string shown_numbers(std::string_view body) {
  std::string numbers;
  for (std::size_t at = body.find(k_ticket); at != std::string_view::npos;
       at = body.find(k_ticket, at + 1)) {
    std::string_view rest = body.substr(at + k_ticket.size());
    numbers += " " + std::string(rest.substr(0, rest.find(':')));
  }
  return numbers;
}

} // namespace

bool is_draft(std::string_view kind) {
  return std::ranges::find(k_drafts, kind) != k_drafts.end();
}

bool is_cases(std::string_view kind) {
  return std::ranges::find(k_cases, kind) != k_cases.end();
}

bool is_counters(std::string_view kind) {
  return std::ranges::find(k_counters, kind) != k_counters.end();
}

bool is_description(std::string_view kind) {
  return std::ranges::find(k_descriptions, kind) != k_descriptions.end();
}

std::optional<std::string> Teacher::answer(std::string_view body) {
  if (is_a_task(body)) {
    return std::nullopt;
  }
  std::string number = hexadecimal(m_draws.next(body));
  if (wants(body, "queries")) {
    return write_queries(number);
  }
  if (wants(body, "description")) {
    return write_description(body);
  }
  if (wants_counterexamples(body)) {
    return write_counterexamples(body, number);
  }
  return wants(body, "cases") ? write_cases(body, number) : write_draft(body, number);
}

std::string Teacher::write_draft(std::string_view body, const std::string& number) const {
  std::string front_matter =
      "name: " + m_lesson.name + "\ndescription: " + std::string(k_description) + "\n";
  std::string lesson = "Its key is " + m_lesson.marker + ".\n\nThis is edition " + number + ".\n";
  std::string good = document(front_matter, lesson);
  const std::string& kind = m_lesson.draft;
  if (m_lesson.mends && is_asked_again(body)) {
    return good;
  }
  if (kind == "prose") { // what comes behind it nobody could tell from the skill
    return "Sure! I have thought about what to teach. Here is the skill:\n\n" + good;
  }
  if (kind == "talk") {
    return "That is an interesting wish. I would begin by reading what there is.\n";
  }
  if (kind == "fenced") {
    return "Here it is:\n\n```markdown\n" + good
           + "```\n\nLet me know whether I shall change something.\n";
  }
  if (kind == "broken-yaml") { // a value with colons that nobody quoted, as models like to write
    return document("name: " + m_lesson.name
                        + "\ndescription: How numbered questions are answered: use it for each, "
                          "\"say it\", and: {say it\n",
                    lesson);
  }
  if (kind == "empty") {
    return "";
  }
  if (kind == "long") {
    std::string page = "Read each question twice before it is answered, and say the answer.\n";
    std::string pages;
    for (int i = 0; i < 50 * 40; ++i) { // 40 lines a page
      pages += page;
    }
    return good + pages;
  }
  if (kind == "no-skill") {
    return "NO SKILL: every model answers numbered questions\n";
  }
  if (kind == "script" || kind == "failing-script") {
    return document(front_matter, lesson + "\nRun `scripts/count.sh` to count them.\n")
           + program(body, kind == "script" ? "echo counted" : "echo miscounted >&2; exit 3");
  }
  if (kind == "useless-first" && !has(body, k_first_try) && !has(body, m_lesson.marker)) {
    return document(front_matter,
                    "Read it twice: " + std::string(k_first_try) + ", edition " + number + ".\n");
  }
  return good;
}

std::string Teacher::write_cases(std::string_view body, const std::string& number) const {
  bool is_good = m_lesson.cases == "plain" || (m_lesson.mends && is_asked_again(body));
  std::string expected = is_good ? "pass" : m_lesson.cases == "echoed" ? "to be done" : "";
  return cases_of(k_case_count, "Question", expected, number);
}

std::string Teacher::write_counterexamples(std::string_view body, const std::string& number) const {
  bool is_good = m_lesson.counters == "plain" || (m_lesson.mends && is_asked_again(body));
  if (!is_good && m_lesson.counters == "talk") {
    return "I would rather not do harm to anybody's skill.\n";
  }
  return cases_of(k_counter_count, "Exception", is_good ? "pass" : "", number);
}

std::string Teacher::write_description(std::string_view body) const {
  const std::string& kind = m_lesson.description;
  bool is_good = kind == "better" || (m_lesson.mends && is_asked_again(body));
  if (!is_good && kind == "talk") {
    return "The description is fine as it is, if you ask me.\n";
  }
  std::string text = is_good ? "Which ordinal numbered questions have."
                     : kind == "overfit"
                         ? std::string(k_description) + " And for:" + shown_numbers(body) + "."
                         : "Whenever there is a ticket.";
  return R"({"description":")" + text + R"("})";
}

} // namespace upskill::model_server
