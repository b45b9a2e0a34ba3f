#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace upskill {

// What nobody shall guess, from the system's generator (getrandom(2)). Both throw std::system_error
// where it has nothing to give, which no system that runs us does: there is no going on without.
void fill_random(std::span<unsigned char> bytes);
// So many bytes as lower-case hexadecimal digits, two for each.
std::string random_hex(std::size_t bytes);

} // namespace upskill
