#include "skills/danger/checks.h"
#include "skills/document/unicode.h"
#include "skills/redact/placeholder.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

namespace upskill::danger {
namespace {

constexpr std::size_t k_least_words = 6;   // of a description that is compared
constexpr std::size_t k_least_letters = 4; // of a word that says something
constexpr std::size_t k_stem = 5;          // letters that words of one kind share

constexpr Danger k_other_subject = {"description-mismatch",
                                    Severity::note,
                                    "the description names nothing that the files talk about",
                                    "read the files: the description decides when they are used"};
constexpr Danger k_promise = {"promise-broken",
                              Severity::warning,
                              "the description promises that nothing leaves the machine, and a "
                              "program talks to the network",
                              "see what it sends, and where to"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Calls visit with the beginning of each longer word, in lower case.
template <class Visit> void each_word(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t begin = at;
    while (at < text.size() && is_letter(text[at])) {
      ++at;
    }
    if (at - begin >= k_least_letters) {
      std::string word(text.substr(begin, std::min(at - begin, k_stem)));
      std::ranges::transform(
          word, word.begin(), [](char c) { return static_cast<char>(c | 0x20); });
      visit(std::move(word));
    }
  }
}

// Words that stand in any description.
bool is_common(std::string_view stem) {
  constexpr std::array<std::string_view, 34> k_stems{
      "skill", "when",  "user",  "users", "this",  "that",  "with",  "from",  "into",
      "your",  "their", "these", "those", "needs", "asks",  "wants", "using", "used",
      "uses",  "help",  "helps", "inclu", "such",  "other", "tasks", "task",  "work",
      "worki", "about", "which", "shoul", "provi", "guide", "agent"};
  return std::ranges::find(k_stems, stem) != k_stems.end();
}

void check_subject(const std::vector<FileView>& views,
                   const FileView& document,
                   Findings& findings) {
  std::set<std::string> wanted;
  each_word(document.document().description, [&](std::string word) {
    if (!is_common(word)) {
      wanted.insert(std::move(word));
    }
  });
  if (wanted.size() < k_least_words) {
    return;
  }
  bool is_met = false;
  auto look = [&](std::string_view text) {
    each_word(text, [&](std::string word) { is_met = is_met || wanted.contains(word); });
  };
  look(document.document().parts.body);
  for (const FileView& view : views) {
    if (&view != &document && !is_met) {
      look(view.file().path);
      look(view.text().substr(0, 64u << 10));
    }
  }
  if (!is_met) {
    findings.add_quoting(document,
                         k_other_subject,
                         document.offset_of(document.document().parts.yaml_line),
                         document.document().description);
  }
}

std::size_t first_of(std::string_view text, std::span<const std::string_view> parts) {
  std::size_t first = std::string_view::npos;
  for (std::string_view part : parts) {
    first = std::min(first, text.find(part));
  }
  return first;
}

void check_promise(const std::vector<FileView>& views,
                   const FileView& document,
                   Findings& findings) {
  constexpr std::array<std::string_view, 9> k_promises{"offline",
                                                       "no network",
                                                       "without network",
                                                       "never leaves",
                                                       "never sends",
                                                       "never uploads",
                                                       "does not send",
                                                       "nothing is uploaded",
                                                       "only locally"};
  constexpr std::array<std::string_view, 13> k_network{"requests.post(",
                                                       "requests.get(",
                                                       "requests.put(",
                                                       "urlopen(",
                                                       "httpx.",
                                                       "http.client.",
                                                       "socket.create_connection(",
                                                       "axios.",
                                                       "fetch(\"http",
                                                       "fetch('http",
                                                       "curl ",
                                                       "wget ",
                                                       "Invoke-WebRequest"};
  const std::string& description = document.document().description;
  bool promises = std::ranges::any_of(
      k_promises, [&](std::string_view part) { return redact::contains_lower(description, part); });
  for (const FileView& view : views) {
    std::size_t at = view.kind() == FileKind::script && promises ? first_of(view.text(), k_network)
                                                                 : std::string_view::npos;
    if (at != std::string_view::npos) {
      findings.begin_file();
      findings.add(view, k_promise, at, at + 60);
    }
  }
}

} // namespace

void check_description(const std::vector<FileView>& views, Findings& findings) {
  auto document = std::ranges::find(views, FileKind::document, &FileView::kind);
  if (document != views.end()) {
    check_subject(views, *document, findings);
    check_promise(views, *document, findings);
  }
}

} // namespace upskill::danger
