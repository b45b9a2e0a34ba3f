#include "clients/cli/pick_list.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace upskill::cli {
namespace {

std::optional<std::size_t> number_of(std::string_view word) {
  std::size_t number = 0;
  auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  bool is_whole = problem == std::errc{} && end == word.data() + word.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

Result<void>
choose_word(std::string_view word, const std::vector<PickItem>& items, std::set<std::size_t>& out) {
  auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument, "`" + clean_line(word) + "` " + std::string(why));
  };
  // A skill may be called `2`: its name is meant before its number.
  auto named = std::ranges::find(items, word, &PickItem::name);
  if (named != items.end()) {
    if (named->is_fixed) {
      return refuse("cannot be installed");
    }
    out.insert(static_cast<std::size_t>(named - items.begin()));
    return {};
  }
  std::size_t dash = word.find('-');
  std::optional<std::size_t> first = number_of(word.substr(0, dash));
  std::optional<std::size_t> last =
      dash == std::string_view::npos ? first : number_of(word.substr(dash + 1));
  if (!first || !last) {
    return refuse("is neither a number nor a name of the list");
  }
  if (*first < 1 || *last > items.size() || *first > *last) {
    return refuse("is not in the list");
  }
  for (std::size_t number = *first; number <= *last; ++number) {
    if (!items[number - 1].is_fixed) {
      out.insert(number - 1);
    } else if (first == last) {
      return refuse("cannot be installed");
    }
  }
  return {};
}

} // namespace

Result<std::vector<std::size_t>> read_choice(std::string_view answer,
                                             const std::vector<PickItem>& items) {
  constexpr std::string_view k_between = " ,\t\r";
  std::set<std::size_t> chosen;
  for (std::size_t at = 0; (at = answer.find_first_not_of(k_between, at)) != answer.npos;) {
    std::size_t end = std::min(answer.find_first_of(k_between, at), answer.size());
    std::string_view word = answer.substr(at, end - at);
    at = end;
    if (word != "all" && word != "*") {
      TRY(choose_word(word, items, chosen));
      continue;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].is_fixed) {
        chosen.insert(i);
      }
    }
  }
  return std::vector<std::size_t>(chosen.begin(), chosen.end());
}

} // namespace upskill::cli
