#pragma once
#include "protocol/base/result.h"
#include "skills/install/record.h"

#include <array>
#include <string>
#include <string_view>

// What `installed.json` may hold, for who reads it and who writes it.
namespace upskill::install {

inline constexpr std::size_t k_max_record = 16u << 20; // bytes
inline constexpr std::size_t k_max_text = 8192;        // bytes of one value
inline constexpr std::size_t k_max_list = 1000;        // agents, hashes
inline constexpr std::string_view k_record_version = "1";
inline constexpr std::string_view k_record = "the record of installed skills (`installed.json`)";
inline constexpr std::string_view k_record_hint =
    "put back a copy of the file; without it the skills stay, and what they came from is forgotten";

// By their place in SourceKind.
inline constexpr std::array<std::string_view, 8> k_kinds{
    "folder", "archive", "document", "git", "archive_at", "document_at", "well_known", "mcp"};

// The first field whose value no record may have; empty where all is right.
std::string_view wrong_in(const InstallRow& row);

} // namespace upskill::install
