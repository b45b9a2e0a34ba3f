#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

struct HostPlace {
  std::string host;     // lower-case, without port
  std::size_t at = 0;   // bytes, where it begins
  std::size_t size = 0; // bytes of it in the text
};

// The hosts of addresses (`scheme://host`) in a text, in order; at most `most`.
std::vector<HostPlace> find_hosts(std::string_view text, std::size_t most);

// What names its owner: the last two parts, `example.com` of `a.b.example.com`.
std::string_view owner_of(std::string_view host);

// Whether one becomes the other by one letter more, less or other, or two exchanged.
bool is_one_step(std::string_view a, std::string_view b);

} // namespace upskill::danger
