#include "skills/danger/sarif.h"

#include "protocol/base/utf8.h"

#include <nlohmann/json.hpp>

#include <map>

namespace upskill::danger {
namespace {

using nlohmann::ordered_json;

std::string_view level_of(Severity severity) {
  switch (severity) {
  case Severity::severe:
    return "error";
  case Severity::warning:
    return "warning";
  case Severity::note:
    break;
  }
  return "note";
}

// A path as a relative reference (RFC 3986): `:` too, which would make a scheme of what precedes
// it.
std::string to_uri(std::string_view path) {
  constexpr std::string_view k_plain = "-._~/";
  constexpr std::string_view k_digits = "0123456789ABCDEF";
  std::string uri;
  for (char c : path) {
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                    || k_plain.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      uri += {'%', k_digits[byte >> 4], k_digits[byte & 0xF]};
    }
  }
  return uri;
}

ordered_json location_of(const Finding& finding) {
  ordered_json place = {{"artifactLocation", {{"uri", to_uri(finding.path)}}}};
  if (finding.line > 0) {
    place["region"] = {{"startLine", finding.line}, {"startColumn", finding.column}};
  }
  return {{"physicalLocation", std::move(place)}};
}

} // namespace

std::string to_sarif(const DangerReport& report, std::string_view skill) {
  ordered_json rules = ordered_json::array();
  ordered_json results = ordered_json::array();
  std::map<std::string, std::size_t> numbers;
  for (const Finding& one : report.findings) {
    auto [number, is_new] = numbers.try_emplace(one.id, rules.size());
    if (is_new) {
      rules.push_back({{"id", one.id},
                       {"shortDescription", {{"text", one.message}}},
                       {"help", {{"text", one.hint}}}});
    }
    results.push_back({{"ruleId", one.id},
                       {"ruleIndex", number->second},
                       {"level", level_of(one.severity)},
                       {"message", {{"text", one.message + ": " + one.evidence}}},
                       {"locations", ordered_json::array({location_of(one)})}});
  }
  ordered_json run = {
      {"tool", {{"driver", {{"name", "upskill"}, {"rules", std::move(rules)}}}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)},
      {"properties", {{"skill", to_valid_utf8(skill)}, {"leftOut", report.left_out}}}};
  ordered_json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", ordered_json::array({std::move(run)})}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace upskill::danger
