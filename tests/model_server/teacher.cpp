#include "tests/model_server/teacher.h"

#include <algorithm>
#include <array>

namespace upskill::model_server {
namespace {

constexpr std::size_t k_case_count = 20; // whoever wants fewer takes the first ones
// What a first draft holds that is good for nothing, so that a refinement is told from it.
constexpr std::string_view k_first_try = "first-try-without-a-lesson";

constexpr std::array<std::string_view, 9> k_drafts{"plain",
                                                   "prose",       // a good one behind chat
                                                   "talk",        // chat, and no skill
                                                   "fenced",      // in a code fence, chat around
                                                   "broken-yaml", // a good one but for its head
                                                   "empty",
                                                   "long",     // fifty pages
                                                   "no-skill", // none is warranted
                                                   "useless-first"};
constexpr std::array<std::string_view, 3> k_cases{"plain",
                                                  "anything", // every answer passes
                                                  "echoed"};  // the question itself passes

bool has(std::string_view body, std::string_view text) {
  return body.find(text) != std::string_view::npos;
}

// Quotes within a message are escaped, so these are members of the request and nobody's words.
bool is_a_task(std::string_view body) {
  return has(body, R"("messages":[{"content":"You are given a task.)");
}

bool wants_cases(std::string_view body) {
  return has(body, R"("response_format":{)") && has(body, R"("cases":{)");
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

} // namespace

bool is_draft(std::string_view kind) {
  return std::ranges::find(k_drafts, kind) != k_drafts.end();
}

bool is_cases(std::string_view kind) {
  return std::ranges::find(k_cases, kind) != k_cases.end();
}

std::optional<std::string> Teacher::answer(std::string_view body) {
  if (is_a_task(body)) {
    return std::nullopt;
  }
  std::string number = hexadecimal(m_draws.next(body));
  return wants_cases(body) ? write_cases(body, number) : write_draft(body, number);
}

std::string Teacher::write_draft(std::string_view body, const std::string& number) const {
  std::string front_matter =
      "name: " + m_lesson.name
      + "\ndescription: How numbered questions are answered. Use it for each of them.\n";
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
  if (kind == "useless-first" && !has(body, k_first_try) && !has(body, m_lesson.marker)) {
    return document(front_matter,
                    "Read it twice: " + std::string(k_first_try) + ", edition " + number + ".\n");
  }
  return good;
}

std::string Teacher::write_cases(std::string_view body, const std::string& number) const {
  bool is_good = m_lesson.cases == "plain" || (m_lesson.mends && is_asked_again(body));
  std::string expected = is_good ? "pass" : m_lesson.cases == "echoed" ? "to be done" : "";
  std::string text;
  for (std::size_t i = 1; i <= k_case_count; ++i) {
    text += (i == 1 ? "" : ",") + (R"({"expected":{"contains":[")" + expected)
            + R"("]},"input":"Question )" + number + "-" + std::to_string(i)
            + R"(: what is to be done?"})";
  }
  return R"({"cases":[)" + text + "]}";
}

} // namespace upskill::model_server
