#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace upskill::mcp {

// The revisions of MCP, oldest first (MCP facts, section 1).
enum class Version { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

inline constexpr std::array<std::string_view, 5> k_version_names{
    "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

inline constexpr Version k_newest_legacy = Version::v2025_11_25;
inline constexpr Version k_modern = Version::v2026_07_28;

constexpr std::string_view name_of(Version version) {
  return k_version_names[static_cast<std::size_t>(version)];
}

constexpr std::optional<Version> version_from(std::string_view name) {
  for (std::size_t i = 0; i < k_version_names.size(); ++i) {
    if (k_version_names[i] == name) {
      return static_cast<Version>(i);
    }
  }
  return std::nullopt;
}

// What `initialize` agrees on: the client's version where it is a legacy one of ours, else the
// newest legacy one.
constexpr Version negotiate(std::string_view requested) {
  std::optional<Version> version = version_from(requested);
  return version && *version != k_modern ? *version : k_newest_legacy;
}

constexpr bool is_modern(Version version) {
  return version >= Version::v2026_07_28;
}

// Tool annotations, the message of a progress notification.
constexpr bool has_annotations(Version version) {
  return version >= Version::v2025_03_26;
}

// `title` of everything, structuredContent, outputSchema.
constexpr bool has_structured_content(Version version) {
  return version >= Version::v2025_06_18;
}

// `description` and `websiteUrl` of an implementation; parameters that do not decode are a tool's
// error (isError), which a model can see and correct, instead of the protocol's.
constexpr bool has_visible_argument_errors(Version version) {
  return version >= Version::v2025_11_25;
}

// What a client may be asked, of what it has declared: fields to fill in since 2025-06-18, a page
// to visit and sampling with tools since 2025-11-25, which also brought icons and `extensions`.
constexpr bool has_elicitation(Version version) {
  return version >= Version::v2025_06_18;
}

constexpr bool has_pages_to_visit(Version version) {
  return version >= Version::v2025_11_25;
}

constexpr bool has_extensions(Version version) {
  return version >= Version::v2025_11_25;
}

// The capability `completions`; the method is older.
constexpr bool has_completions(Version version) {
  return version >= Version::v2025_03_26;
}

constexpr bool has_batches(Version version) {
  return version == Version::v2025_03_26;
}

} // namespace upskill::mcp
