#include "skills/distill/commands.h"

#include <algorithm>
#include <array>
#include <vector>

namespace upskill::distill {
namespace {

constexpr std::size_t k_looked_at = 4096;

constexpr std::array<std::string_view, 11> k_preparing = {
    "cd",
    "export",
    "source",
    "set",
    "pushd",
    "sudo",
    "time",
    "timeout",
    "env",
    "nice",
    "exec",
};

constexpr std::array<std::string_view, 11> k_test_programs = {
    "pytest",
    "ctest",
    "jest",
    "vitest",
    "rspec",
    "phpunit",
    "tox",
    "nosetests",
    "gotestsum",
    "mocha",
    "bats",
};

constexpr std::array<std::string_view, 17> k_test_words = {
    "npm test",
    "npm t",
    "yarn test",
    "pnpm test",
    "bun test",
    "cargo test",
    "go test",
    "make test",
    "make check",
    "ninja test",
    "mvn test",
    "mvn verify",
    "gradle test",
    "gradlew test",
    "dotnet test",
    "swift test",
    "mix test",
};

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Ends a command: `;`, `&&`, `|`, a line.
bool is_operator(char c) {
  return c == ';' || c == '&' || c == '|' || c == '\n' || c == '\r';
}

// The words of the commands of a line; an empty word stands between two commands.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, k_looked_at);
  while (!line.empty()) {
    if (is_operator(line[0])) {
      words.emplace_back();
      line.remove_prefix(1);
    } else if (is_blank(line[0])) {
      line.remove_prefix(1);
    } else {
      std::size_t end = 0;
      while (end < line.size() && !is_blank(line[end]) && !is_operator(line[end])) {
        ++end;
      }
      words.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
  }
  return words;
}

// `/usr/bin/python3.11` -> `python`.
std::string_view program_of(std::string_view word) {
  word.remove_prefix(word.rfind('/') + 1);
  std::size_t end = word.find_last_not_of("0123456789.");
  return word.substr(0, end == std::string_view::npos ? word.size() : end + 1);
}

template <class Words> bool holds(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_argument(std::string_view word) {
  return word[0] != '-' && word.find_first_of("<>") == std::string_view::npos
         && word.find('=') == std::string_view::npos;
}

std::string signature_from(const std::vector<std::string_view>& words, std::size_t at) {
  std::string signature(program_of(words[at]));
  bool is_module = false; // `python -m pytest`
  for (++at; at < words.size() && !words[at].empty(); ++at) {
    is_module = is_module || words[at] == "-m";
    if (!is_argument(words[at])) {
      continue;
    }
    if (is_module) {
      return std::string(words[at]);
    }
    signature += ' ';
    signature += words[at];
    // `npm run` says nothing yet.
    if (words[at] != "run") {
      break;
    }
  }
  return signature;
}

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  std::size_t at = text.find(begin);
  if (at == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(at + begin.size());
  return std::string(text.substr(0, text.find(end)));
}

} // namespace

std::string command_signature(std::string_view command) {
  std::vector<std::string_view> words = words_of(command);
  std::size_t fallback = words.size();
  for (std::size_t at = 0; at < words.size(); ++at) {
    std::string_view program = words[at].empty() ? words[at] : program_of(words[at]);
    bool is_number = !program.empty() && program[0] >= '0' && program[0] <= '9';
    if (program.empty() || is_number || !is_argument(words[at])) {
      continue;
    }
    if (!holds(k_preparing, program)) {
      return signature_from(words, at);
    }
    fallback = std::min(fallback, at);
    bool is_prefix = program == "sudo" || program == "time" || program == "timeout"
                     || program == "env" || program == "nice" || program == "exec";
    while (!is_prefix && at < words.size() && !words[at].empty()) {
      ++at; // what it is given belongs to it
    }
  }
  return fallback < words.size() ? signature_from(words, fallback) : std::string{};
}

bool is_test_command(std::string_view command) {
  std::string signature = command_signature(command);
  std::string_view program = std::string_view(signature).substr(0, signature.find(' '));
  return holds(k_test_programs, program) || holds(k_test_words, signature)
         || signature.starts_with("npm run test") || signature == "npx jest"
         || signature == "npx vitest" || signature == "npx playwright";
}

std::string words_of_command(std::string_view text) {
  std::string typed = between(text, "<bash-input>", "</bash-input>");
  if (!typed.empty()) {
    return "! " + typed;
  }
  std::string arguments = between(text, "<command-args>", "</command-args>");
  if (arguments.find_first_not_of(" \n\t") == std::string::npos) {
    return {};
  }
  return between(text, "<command-name>", "</command-name>") + " " + arguments;
}

trace::Text output_of_command(trace::Text text) {
  bool has_head = false;
  for (std::string_view letters : {"Chunk ID: ", "Wall time: ", "Process exited ", "Exit code: "}) {
    has_head = has_head || text.starts_with(letters);
  }
  constexpr std::size_t k_head = 400;
  bool is_escaped = text.encoding == trace::Encoding::json_string;
  std::string_view last = is_escaped ? "\\nOutput:\\n" : "\nOutput:\n";
  std::size_t at = has_head ? text.first.substr(0, k_head).find(last) : std::string_view::npos;
  if (at != std::string_view::npos) {
    text.first.remove_prefix(at + last.size());
  }
  return text;
}

} // namespace upskill::distill
