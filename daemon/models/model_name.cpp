#include "daemon/models/model_name.h"

#include "protocol/base/utf8.h"

#include <fmt/format.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace upskill::models {
namespace {

constexpr std::array<std::string_view, 7> k_efforts{
    "none", "minimal", "low", "medium", "high", "xhigh", "max"};
constexpr std::size_t k_longest_name = 256; // bytes

bool is_effort(std::string_view word) {
  return std::ranges::find(k_efforts, word) != k_efforts.end();
}

// Takes the effort off the end of a name.
std::string take_effort(std::string_view& name) {
  constexpr std::string_view k_query = "?reasoning=";
  std::size_t at = name.find(k_query);
  std::size_t length = k_query.size();
  if (at == std::string_view::npos) {
    at = name.rfind('.');
    length = 1;
  }
  if (at == std::string_view::npos || at == 0 || !is_effort(name.substr(at + length))) {
    return {};
  }
  std::string effort(name.substr(at + length));
  name = name.substr(0, at);
  return effort;
}

// Letters to change, add or leave out (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

std::string near_names(std::string_view name, const ModelTable& table) {
  std::vector<std::string> known;
  for (const auto& [alias, target] : table.aliases()) {
    known.push_back(alias);
  }
  for (const PriceRow& row : table.prices()) {
    known.push_back(row.id);
    known.push_back(row.provider + "." + row.id);
  }
  std::vector<std::pair<std::size_t, std::string>> near;
  for (std::string& candidate : known) {
    std::size_t apart = distance(name, candidate);
    if (apart <= std::max<std::size_t>(2, name.size() / 3)) {
      near.emplace_back(apart, std::move(candidate));
    }
  }
  std::ranges::sort(near);
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) {
    text += fmt::format("{}`{}`", i == 0 ? "" : ", ", near[i].second);
  }
  return text;
}

tl::unexpected<Error> unknown(std::string_view name, const ModelTable& table) {
  std::string near = near_names(name.substr(0, 64), table);
  std::string hint = near.empty() ? "write an alias such as `sonnet`, or `PROVIDER.MODEL`"
                                  : "did you mean " + near;
  return fail(ErrorCode::not_found,
              fmt::format("no model is called {}", in_backticks(utf8_prefix(name, 100))),
              hint + "; a server of your own is `generic.NAME`");
}

Result<std::string> checked_url(std::string_view url) {
  while (url.ends_with('/')) {
    url.remove_suffix(1);
  }
  if (host_and_port(url).empty()) {
    return fail(ErrorCode::invalid_argument,
                "the base URL of a model must begin with `http://` or `https://` and name a host",
                "a server on this machine is `http://127.0.0.1:PORT/v1`");
  }
  return std::string(url);
}

std::string base_url_of(const ProviderRow& row, const Environment& environment) {
  for (const std::string& variable : row.base_variables) {
    std::optional<std::string> value = environment(variable);
    if (value && !value->empty()) {
      return *value;
    }
  }
  return row.base_url;
}

} // namespace

Result<ResolvedModel> resolve_model(std::string_view name,
                                    std::string_view base_url,
                                    const Environment& environment,
                                    const ModelTable& table) {
  if (name.empty() || name.size() > k_longest_name) {
    return unknown(name, table);
  }
  if (name == "scripted") {
    return ResolvedModel{
        .provider = "scripted", .wire = Wire::scripted, .id = "scripted", .is_key_needed = false};
  }
  std::string_view rest = name;
  std::string effort = take_effort(rest);
  auto alias = table.aliases().find(rest);
  bool is_alias = base_url.empty() && alias != table.aliases().end();
  std::string_view full = is_alias ? std::string_view(alias->second) : rest;

  std::size_t dot = full.find('.');
  const ProviderRow* row =
      dot == std::string_view::npos ? nullptr : table.provider(full.substr(0, dot));
  std::string_view id = row != nullptr ? full.substr(dot + 1) : full;
  const FamilyRow* family = table.family(id);
  if (row == nullptr && !base_url.empty()) {
    row = table.provider("generic");
  } else if (row == nullptr && family != nullptr) {
    row = table.provider(family->provider);
  }
  if (row == nullptr || id.empty()) {
    return unknown(name, table);
  }
  TRY_ASSIGN(std::string url,
             checked_url(base_url.empty() ? base_url_of(*row, environment) : base_url));
  return ResolvedModel{.provider = row->provider,
                       .wire = row->wire,
                       .id = std::string(id),
                       .effort = std::move(effort),
                       .base_url = url,
                       .key_variable = row->key_variable,
                       .is_key_needed = row->is_key_needed && !is_loopback(url),
                       .rejects = family != nullptr && row->provider != "generic"
                                      ? family->rejects
                                      : std::vector<std::string>{}};
}

std::string host_and_port(std::string_view url) {
  bool is_secure = url.starts_with("https://");
  if (!is_secure && !url.starts_with("http://")) {
    return {};
  }
  url.remove_prefix(is_secure ? 8 : 7);
  url = url.substr(0, url.find_first_of("/?#"));
  if (std::size_t at = url.rfind('@'); at != std::string_view::npos) {
    url.remove_prefix(at + 1); // a name and a password, which nobody shall see
  }
  std::size_t colon = url.rfind(':');
  std::size_t bracket = url.rfind(']');
  bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (url.empty() || colon == 0) {
    return {};
  }
  return has_port ? std::string(url) : fmt::format("{}:{}", url, is_secure ? 443 : 80);
}

bool is_loopback(std::string_view url) {
  std::string where = host_and_port(url);
  std::string_view host = std::string_view(where).substr(0, where.rfind(':'));
  if (host == "localhost" || host == "[::1]") {
    return true;
  }
  // What only looks like an address (`127.0.0.1.`, `127.0.0.1.5`) is a name for libcurl, and
  // whoever answers for names says where it leads.
  in_addr address{};
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos
         && ::inet_aton(std::string(host).c_str(), &address) != 0;
}

std::optional<double>
cost_of(const ResolvedModel& model, const Usage& usage, const ModelTable& table) {
  if (model.provider == "scripted" || is_loopback(model.base_url)) {
    return 0;
  }
  const PriceRow* price = table.price(model.provider, model.id);
  if (price == nullptr || !usage.input || !usage.output) {
    return std::nullopt;
  }
  CacheFactors cache = table.cache(model.provider);
  std::int64_t read = usage.cache_read.value_or(0);
  std::int64_t write = usage.cache_write.value_or(0);
  bool is_long = price->long_prompt && *usage.input + read + write >= *price->long_prompt;
  double input = is_long ? price->long_input : price->input;
  double tokens = static_cast<double>(*usage.input) + cache.read * static_cast<double>(read)
                  + cache.write * static_cast<double>(write);
  return (tokens * input + static_cast<double>(*usage.output) * price->output) / 1e6;
}

} // namespace upskill::models
