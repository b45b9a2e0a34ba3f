#include "skills/store/trace_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <sqlite3.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace upskill::bench {
namespace {

constexpr std::size_t k_sessions = 10'000;
constexpr std::size_t k_session_bytes = 15'000; // of text that is searched
constexpr std::size_t k_batch = 500;            // sessions of one transaction
constexpr std::int64_t k_shown = 20;

// Words as texts have them: the n-th is 1/n as frequent as the first (Zipf's law), and every
// session has the first thousand or so of them.
class Words {
public:
  Words() {
    std::uniform_int_distribution<int> length(3, 10);
    std::uniform_int_distribution<int> letter('a', 'z');
    double sum = 0;
    for (std::size_t i = 0; i < k_count; ++i) {
      std::string& word = m_words.emplace_back();
      for (int n = length(m_random); n > 0; --n) {
        word += static_cast<char>(letter(m_random));
      }
      m_sums.push_back(sum += 1.0 / static_cast<double>(i + 3));
    }
  }

  const std::string& at(std::size_t rank) const { return m_words.at(rank); }

  std::string text(std::size_t bytes) {
    std::uniform_real_distribution<double> share(0, m_sums.back());
    std::string text;
    while (text.size() < bytes) {
      auto at = std::ranges::upper_bound(m_sums, share(m_random));
      std::size_t rank = static_cast<std::size_t>(at - m_sums.begin());
      text += m_words[std::min(rank, k_count - 1)] + " ";
    }
    return text;
  }

private:
  static constexpr std::size_t k_count = 60'000;
  std::mt19937_64 m_random{1};
  std::vector<std::string> m_words = {};
  std::vector<double> m_sums = {};
};

// Seconds for each session.
double put_sessions(store::TraceStore& sessions, Words& words) {
  double seconds = 0;
  for (std::size_t first = 0; first < k_sessions; first += k_batch) {
    std::vector<store::SessionRow> rows;
    std::vector<store::IndexText> texts;
    for (std::size_t i = first; i < first + k_batch; ++i) {
      rows.push_back({.harness = "claude",
                      .session = fmt::format("session-{}", i),
                      .source = fmt::format("/home/somebody/.claude/projects/p/{}.jsonl", i),
                      .project = fmt::format("/home/somebody/project-{}", i % 20),
                      .title = words.text(60),
                      .ended_ms = static_cast<std::int64_t>(i),
                      .state = std::string(2000, 's'),
                      .tools = {{"Bash", 20, 2}, {"Read", 30, 0}}});
      texts.push_back({.title = rows.back().title,
                       .prompts = words.text(k_session_bytes / 6),
                       .answers = words.text(k_session_bytes / 2),
                       .work = words.text(k_session_bytes / 3)});
    }
    seconds += seconds_of([&] {
      auto transaction = sessions.begin();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        require(sessions.put_session(rows[i], texts[i]).has_value(), "a session cannot be put");
      }
      require(transaction && transaction->commit(), "sessions cannot be put");
    });
  }
  return seconds / k_sessions;
}

// The least that a search can be: FTS5 counts what matches, with nothing of ours.
class Counter {
public:
  explicit Counter(const std::string& path) {
    require(sqlite3_open_v2(path.c_str(), &m_handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK,
            "the database cannot be opened");
    require(sqlite3_prepare_v2(m_handle,
                               "SELECT count(*) FROM session_words WHERE session_words MATCH ?",
                               -1,
                               &m_count,
                               nullptr)
                == SQLITE_OK,
            "nothing can be counted");
  }

  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  ~Counter() {
    sqlite3_finalize(m_count);
    sqlite3_close(m_handle);
  }

  std::int64_t count(const std::string& match) {
    sqlite3_bind_text(m_count, 1, match.c_str(), -1, SQLITE_TRANSIENT);
    require(sqlite3_step(m_count) == SQLITE_ROW, "nothing can be counted");
    std::int64_t count = sqlite3_column_int64(m_count, 0);
    sqlite3_reset(m_count);
    return count;
  }

private:
  sqlite3* m_handle = nullptr;
  sqlite3_stmt* m_count = nullptr;
};

struct Question {
  const char* name;
  store::SessionFilter filter;
  std::string match; // the floor's
};

std::vector<Question> questions(const Words& words) {
  const std::string& first = words.at(0);
  const std::string& second = words.at(1);
  std::string five;
  std::string match;
  for (std::size_t i = 2; i < 7; ++i) {
    five += words.at(i) + " ";
    match += (match.empty() ? "" : " AND ") + words.at(i);
  }
  return {
      {"rare", {.text = words.at(8000)}, words.at(8000)},
      {"common", {.text = first}, first},
      {"five", {.text = five}, match},
      {"phrase", {.text = "\"" + first + " " + second + "\""}, "\"" + first + " " + second + "\""},
      {"beginning", {.text = first.substr(0, 2) + "*"}, first.substr(0, 2) + "*"},
      {"without", {.text = second + " -" + words.at(500)}, second + " NOT " + words.at(500)},
      {"in_project",
       {.text = first, .project = "/home/somebody/project-7", .tool = "Bash"},
       first}};
}

} // namespace

void trace_search(const Settings& settings, const Report& report) {
  Scratch scratch(settings.folder);
  std::string path = scratch / "traces.db";
  auto opened = store::TraceStore::open(path);
  require(opened.has_value(), "no database can be made");
  store::TraceStore& sessions = *opened;
  Words words;
  double put = put_sessions(sessions, words);
  settle_disk(settings.folder);
  Counter counter(path);
  for (const Question& question : questions(words)) {
    std::vector<double> taken =
        interleave(std::max<std::size_t>(settings.runs, 5),
                   {[&] {
                      return seconds_of([&] {
                        auto hits = sessions.search(question.filter, k_shown);
                        require(hits && !hits->empty(), "nothing was found");
                      });
                    },
                    [&] {
                      return seconds_of([&] {
                        require(counter.count(question.match) > 0, "nothing was counted");
                      });
                    }});
    report({fmt::format("trace_search.{}", question.name),
            "ms",
            taken[0] * 1e3,
            taken[1] * 1e3,
            Judged::value,
            50,
            false,
            fmt::format("the best 20 of 10,000 sessions of 15 KB, with snippets, of {} that have "
                        "the words; floor: FTS5 counts those",
                        counter.count(question.match))});
  }
  auto list = [&] {
    return seconds_of([&] {
      auto rows = sessions.list({.project = "/home/somebody/project-7"}, std::nullopt, 50);
      require(rows && rows->size() == 50, "the list is not whole");
    });
  };
  report({"trace_search.list",
          "ms",
          interleave(std::max<std::size_t>(settings.runs, 5), {list})[0] * 1e3,
          0,
          Judged::value,
          50,
          false,
          "the newest 50 of a project"});
  auto totals = sessions.totals();
  require(totals.has_value(), "nothing can be summed up");
  report({"trace_search.put",
          "ms",
          put * 1e3,
          0,
          Judged::nothing,
          0,
          false,
          fmt::format("a session is put and indexed, 500 to a transaction; the database is {} MB",
                      totals->database_bytes >> 20)});
  report({"trace_search.open",
          "ms",
          seconds_of([&] { require(store::TraceStore::open(path).has_value(), "it is damaged"); })
              * 1e3,
          0,
          Judged::nothing,
          0,
          false,
          "the database is opened, with all its pages checked"});
}

} // namespace upskill::bench
