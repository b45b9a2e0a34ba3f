#include "daemon/install/choose.h"

#include "protocol/base/utf8.h"
#include "skills/eval/fields.h"
#include "skills/install/discover.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_named = 5; // names in a hint

std::vector<std::size_t> called(const fetch::Offer& offer, const std::string& name) {
  std::vector<std::size_t> found;
  std::string folder = install::folder_name_of(name);
  for (std::size_t i = 0; i < offer.skills.size(); ++i) {
    const fetch::Offered& skill = offer.skills[i];
    bool is_meant =
        skill.name == name || (!folder.empty() && install::folder_name_of(skill.name) == folder);
    if (is_meant) {
      found.push_back(i);
    }
  }
  return found;
}

tl::unexpected<Error> unknown(const fetch::Offer& offer, const std::string& name) {
  std::vector<std::string> names;
  for (const fetch::Offered& skill : offer.skills) {
    names.push_back(to_valid_utf8(skill.name));
  }
  std::string hint = eval::meant(name, names);
  if (hint.empty()) {
    hint = "it has ";
    for (std::size_t i = 0; i < std::min(names.size(), k_most_named); ++i) {
      hint += (i == 0 ? "" : ", ") + in_backticks(names[i]);
    }
    hint += names.size() > k_most_named
                ? " and " + std::to_string(names.size() - k_most_named) + " more"
                : "";
  }
  return fail(ErrorCode::not_found,
              in_backticks(offer.source.name) + " has no skill " + in_backticks(name),
              hint);
}

Result<std::size_t> find(const fetch::Offer& offer, const std::string& name) {
  auto by_folder = std::ranges::find(offer.skills, name, &fetch::Offered::from);
  if (!name.empty() && by_folder != offer.skills.end()) {
    return static_cast<std::size_t>(by_folder - offer.skills.begin());
  }
  std::vector<std::size_t> found = called(offer, name);
  if (found.empty()) {
    return unknown(offer, name);
  }
  if (found.size() > 1) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(offer.source.name) + " has " + std::to_string(found.size())
                    + " skills of the name " + in_backticks(name),
                "name the folder of one: `--skill " + offer.skills[found[0]].from + "` or `--skill "
                    + offer.skills[found[1]].from + "`");
  }
  return found.front();
}

} // namespace

Result<Choice>
choose(const fetch::Offer& offer, const std::vector<std::string>& names, bool is_all) {
  Choice choice;
  if (is_all || (names.empty() && offer.skills.size() == 1)) {
    choice.chosen.resize(offer.skills.size());
    std::iota(choice.chosen.begin(), choice.chosen.end(), std::size_t(0));
    return choice;
  }
  std::set<std::size_t> chosen;
  for (const std::string& name : names) {
    TRY_ASSIGN(std::size_t index, find(offer, name));
    chosen.insert(index);
  }
  choice.chosen.assign(chosen.begin(), chosen.end());
  choice.is_open = names.empty();
  return choice;
}

} // namespace upskill::daemon
