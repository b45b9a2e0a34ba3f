#pragma once
#include <string>

namespace upskill::cli {

// upskill(1) as roff with the man macros (man(7)).
std::string man_page();

} // namespace upskill::cli
