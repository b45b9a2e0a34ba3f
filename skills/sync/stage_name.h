#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

// A thing in a stage folder is called `<n>.<skill>`, or `<n>-old.<skill>`. Of a skill whose name
// does not fit behind that only the beginning stands there, and the link `<n>-name` says the whole:
// because a leftover is put back by its name.
inline constexpr std::string_view k_name_link = "-name";

// What of a skill's name stands in the name of its copy.
std::string_view fitting_name(std::string_view skill);

// The name of the skill that a thing in this open stage folder is, or was, a copy of.
std::string whole_name(int folder, std::string_view staged);

// The paths of those links in a stage folder whose copies have gone.
std::vector<std::string> unused_name_links(const std::string& folder);

} // namespace upskill::sync
