#pragma once
#include <string_view>

namespace upskill::daemon {

// What clients show beside the server's name, two chevrons that point up:
//   <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
//     <rect width="24" height="24" rx="5" fill="#1f6feb"/>
//     <path d="M7 12l5-5 5 5M7 17l5-5 5 5" fill="none" stroke="#fff" stroke-width="2.5"
//           stroke-linecap="round" stroke-linejoin="round"/>
//   </svg>
inline constexpr std::string_view k_server_icon =
    "data:image/svg+xml;base64,"
    "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PHJlY3Qg"
    "d2lkdGg9IjI0IiBoZWlnaHQ9IjI0IiByeD0iNSIgZmlsbD0iIzFmNmZlYiIvPjxwYXRoIGQ9Ik03IDEybDUtNSA1"
    "IDVNNyAxN2w1LTUgNSA1IiBmaWxsPSJub25lIiBzdHJva2U9IiNmZmYiIHN0cm9rZS13aWR0aD0iMi41IiBzdHJv"
    "a2UtbGluZWNhcD0icm91bmQiIHN0cm9rZS1saW5lam9pbj0icm91bmQiLz48L3N2Zz4=";

} // namespace upskill::daemon
