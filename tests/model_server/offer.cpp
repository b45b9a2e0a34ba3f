#include "tests/model_server/offer.h"

#include <cctype>
#include <set>
#include <string>

namespace upskill::model_server {
namespace {

constexpr std::size_t k_least_word = 5; // shorter ones are in every text

// What stands between these two; empty where they do not stand there.
std::string_view between(std::string_view body, std::string_view open, std::string_view close) {
  std::size_t begin = body.find(open);
  if (begin == std::string_view::npos) {
    return {};
  }
  std::string_view rest = body.substr(begin + open.size());
  std::size_t end = rest.find(close);
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

// The last message of somebody's: members are in the order of the alphabet.
std::string_view task_of(std::string_view body) {
  constexpr std::string_view k_open = R"({"content":")";
  std::size_t end = body.rfind(R"(","role":"user"})");
  std::size_t begin = end == std::string_view::npos ? end : body.rfind(k_open, end);
  if (begin == std::string_view::npos) {
    return {};
  }
  return body.substr(begin + k_open.size(), end - begin - k_open.size());
}

// A hyphen is a part of a word, so that a number such as `3f-2` is one.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (char c : text) {
    auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '-') {
      word += static_cast<char>(std::tolower(letter));
      continue;
    }
    if (word.size() >= k_least_word) {
      words.insert(word);
    }
    word.clear();
  }
  if (word.size() >= k_least_word) {
    words.insert(word);
  }
  return words;
}

} // namespace

std::optional<Offer> offer_of(std::string_view body) {
  Offer offer{between(body, "<description>", "</description>"),
              between(body, "<location>", "</location>"),
              task_of(body)};
  bool is_begun = body.find(R"("role":"assistant")") != std::string_view::npos;
  bool has_tools = body.find(R"("tools":[)") != std::string_view::npos;
  return has_tools && !is_begun && !offer.location.empty() ? std::optional(offer) : std::nullopt;
}

bool fits(const Offer& offer) {
  std::set<std::string> described = words_of(offer.description);
  for (const std::string& word : words_of(offer.task)) {
    if (described.contains(word)) {
      return true;
    }
  }
  return false;
}

} // namespace upskill::model_server
