#pragma once
#include <cstddef>

// Every bound that hostile input meets, in one place (decisions: Protocol, Sync).
namespace upskill {

inline constexpr std::size_t k_max_line = 16u << 20;      // bytes of one message
inline constexpr int k_max_json_depth = 64;               // nesting of one message
inline constexpr std::size_t k_max_calls_in_flight = 256; // of one client
inline constexpr std::size_t k_max_clients = 1024;        // of one daemon
inline constexpr std::size_t k_max_page = 1000;           // entries of one page of a list

// What calls make the daemon hold until they are answered: their parameters, and what a client has
// said to questions of theirs. The longest message fits in with the longest answers.
inline constexpr std::size_t k_max_held_bytes = 32u << 20;      // of one client
inline constexpr std::size_t k_max_held_bytes_all = 128u << 20; // of one daemon

inline constexpr std::size_t k_max_skill_entries = 10'000;   // files and folders of one skill
inline constexpr std::size_t k_max_skill_bytes = 256u << 20; // of one skill
inline constexpr std::size_t k_max_skill_file = 64u << 20;   // of one file
inline constexpr std::size_t k_max_skill_depth = 32;         // folders below a skill
inline constexpr std::size_t k_max_skills_per_root = 100'000;
inline constexpr std::size_t k_max_file_name = 255; // bytes (sync facts, rule 10)

// The skills extension of MCP (SEP-2640): hosts need support no more.
inline constexpr std::size_t k_mcp_skill_resources = 512;
inline constexpr std::size_t k_mcp_skill_bytes = 16u << 20;
// One page of its list, whichever is reached first; an entry is never split.
inline constexpr std::size_t k_mcp_skill_page = 100;              // skills
inline constexpr std::size_t k_mcp_skill_page_bytes = 256u << 10; // of JSON

// A page of what a client may put before a model unasked, whichever is reached first.
inline constexpr std::size_t k_resource_page = 100;             // resources
inline constexpr std::size_t k_resource_page_bytes = 64u << 10; // of JSON

} // namespace upskill
