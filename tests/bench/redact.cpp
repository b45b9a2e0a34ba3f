#include "skills/redact/prefilter.h"
#include "skills/redact/record_redactor.h"
#include "tests/bench/bench.h"
#include "tests/bench/measure.h"

#include <fmt/format.h>

#include <random>

namespace upskill::bench {
namespace {

constexpr std::size_t k_bytes = 64u << 20;
constexpr double k_bound = 1000.0 / 150; // s for each GB: 150 MB/s

// What people and models write about programs, and what they run. Names of secrets are as frequent
// as in the sources of a server.
constexpr std::string_view k_words[] = {
    "the",   "of",     "and",     "to",     "a",       "in",     "is",       "that",    "it",
    "was",   "for",    "on",      "with",   "file",    "test",   "function", "error",   "line",
    "build", "failed", "because", "value",  "return",  "change", "should",   "when",    "path",
    "first", "module", "import",  "check",  "request", "server", "user",     "pattern", "look",
    "there", "reads",  "output",  "passes", "branch",  "commit", "session",  "again",   "second"};
constexpr std::string_view k_lines[] = {
    "  const result = await client.fetchUser(request.params.userId, { timeout: 3000 });\n",
    "    if (tokens.length > maxTokens) { return truncate(tokens, maxTokens - reserved); }\n",
    "$ git log --oneline -5 -- src/auth/login.ts && npm run test -- --reporter=dot\n",
    "import { readFile, writeFile } from \"node:fs/promises\";\n",
    "ERROR in ./src/components/Button/index.tsx:42:17 Cannot find name 'ThemeProvider'.\n",
    "+  \"integrity\": "
    "\"sha512-9yQ3vK0nqYw1mZrJx2uT5bLhPpA7cDeFgHiJkLmNoPqRsTuVwXyZ01aBcDeFgHiJkLmNo==\",\n",
    "https://docs.example.org/en/latest/reference/configuration.html#environment-variables\n",
    "def parse_header(line: str) -> tuple[str, str]:\n    name, _, value = line.partition(\":\")\n",
    "  password: process.env.DB_PASSWORD ?? \"\", // read in config/database.ts\n",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b\nAuthor: Ada <ada@example.org>\n",
    "static std::unique_ptr<Parser> make_parser(std::string_view text, const Options& options);\n",
    "docker run --rm -v $(pwd):/app -w /app -e CI=true node:22 npm ci --ignore-scripts\n",
    "drwxr-xr-x  5 ada ada  4096 Jul  1 10:00 node_modules/@types/express-serve-static-core\n"};

std::string distilled(std::size_t bytes) {
  std::mt19937_64 random(1);
  std::string text;
  while (text.size() < bytes) {
    if (random() % 3 == 0) {
      text += k_lines[random() % std::size(k_lines)];
      continue;
    }
    for (std::size_t i = 0; i < 14; ++i) {
      text += k_words[random() % std::size(k_words)];
      text += i == 13 ? ".\n" : " ";
    }
  }
  text.resize(bytes);
  return text;
}

std::string escaped(std::string_view text) {
  std::string json;
  for (char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
    }
    json += c == '\n' ? "\\n" : std::string(1, c);
  }
  return json;
}

// As Claude Code writes them, 2 KB of text in each.
std::vector<std::string> records_of(std::string_view text) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < text.size(); at += 2048) {
    records.push_back(
        R"({"parentUuid":"7d1f0a52-9f0e-4c53-8a41-0c2f5f2f9a10","isSidechain":false,"cwd":"/home/ada/app",)"
        R"("sessionId":"0f2b7c11-3a44-4a9e-b8a6-55d2f1c0e7b3","version":"2.1.218","gitBranch":"main",)"
        R"("message":{"model":"claude-opus-4-6","id":"msg_01XFDUDYJgAACzvnptvVoYEL","role":"assistant",)"
        R"("content":[{"type":"text","text":")"
        + escaped(text.substr(at, 2048))
        + R"("}],"usage":{"input_tokens":3,"cache_read_input_tokens":2000,"output_tokens":8}},)"
          R"("requestId":"req_011CSHoEeqs5C35K2UUqR7Fy","timestamp":"2026-07-01T10:00:00.250Z"})");
  }
  return records;
}

std::size_t size_of(const std::vector<std::string>& records) {
  std::size_t size = 0;
  for (const std::string& record : records) {
    size += record.size();
  }
  return size;
}

} // namespace

// In this process and on one core: what is counted is the search, not where texts come from.
void redact(const Settings& settings, const Report& report) {
  auto rules = redact::RuleSet::built_in();
  require(rules.has_value(), "the rules cannot be read");
  std::string text = distilled(k_bytes);
  std::vector<std::string> records = records_of(std::string_view(text).substr(0, k_bytes / 2));
  double gigabytes = static_cast<double>(text.size()) / 1e9;
  double record_gigabytes = static_cast<double>(size_of(records)) / 1e9;

  std::vector<std::string> keywords;
  for (const redact::Rule& rule : rules->rules()) {
    keywords.insert(keywords.end(), rule.keywords.begin(), rule.keywords.end());
  }
  redact::Prefilter prefilter(keywords);
  redact::Redactor redactor(*rules);
  redact::JsonRedactor json(*rules);
  std::vector<redact::Finding> findings;
  std::size_t hits = 0;
  OneCore one_core;
  std::vector<double> seconds = interleave(
      settings.runs,
      {[&] {
         return cpu_seconds_of([&] {
           prefilter.scan(text, [&](std::uint32_t, std::size_t, std::size_t) { ++hits; });
         });
       },
       [&] { return cpu_seconds_of([&] { redactor.scan(text, findings); }); },
       [&] {
         return cpu_seconds_of([&] {
           for (const std::string& record : records) {
             json.scan(record, findings);
           }
         });
       },
       [&] {
         return cpu_seconds_of([&] {
           redact::RecordRedactor writer(*rules);
           for (const std::string& record : records) {
             writer.take(record);
           }
         });
       }});
  require(hits > 0, "the prefilter meets no keyword");
  double floor = seconds[0] / gigabytes;
  auto tell = [&](const char* name, double ours, const char* what) {
    report(
        {name,
         "s/GB",
         ours,
         floor,
         Judged::value,
         k_bound,
         false,
         fmt::format(
             "{}: {:.0f} MB/s; the prefilter alone: {:.0f} MB/s", what, 1e3 / ours, 1e3 / floor)});
  };
  tell("redact.text", seconds[1] / gigabytes, "64 MB of prose, code and commands");
  tell("redact.json", seconds[2] / record_gigabytes, "the same in records of 2 KB, decoded");
  tell("redact.records", seconds[3] / record_gigabytes, "and with what lies over their borders");
}

} // namespace upskill::bench
