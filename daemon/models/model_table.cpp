#include "daemon/models/model_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace upskill::models {

// models.json, put into the program by the build.
extern const std::string_view k_embedded_models;

namespace {

using Json = nlohmann::json;

Wire wire_of(const std::string& name) {
  if (name == "anthropic") {
    return Wire::anthropic;
  }
  if (name == "responses") {
    return Wire::responses;
  }
  if (name == "chat") {
    return Wire::chat;
  }
  throw std::invalid_argument("no wire is called `" + name + "`");
}

ProviderRow provider_row(const Json& row) {
  return {.name = row.at("name"),
          .provider = row.at("provider"),
          .wire = wire_of(row.at("wire")),
          .base_url = row.at("base_url"),
          .base_variables = row.at("base_variables"),
          .key_variable = row.at("key_variable"),
          .is_key_needed = row.at("key_needed")};
}

PriceRow price_row(const Json& row) {
  PriceRow price{.id = row.at("id"),
                 .provider = row.at("provider"),
                 .input = row.at("input"),
                 .output = row.at("output")};
  if (row.contains("long_prompt")) {
    price.long_prompt = row.at("long_prompt").get<std::int64_t>();
    price.long_input = row.at("long_input");
  }
  return price;
}

bool is_dated(std::string_view rest) {
  return rest == "-latest"
         || (rest.size() == 9 && rest.front() == '-'
             && rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

} // namespace

const ModelTable& ModelTable::built_in() {
  // A table that the build took and that cannot be read is a bug, which value() throws.
  static const ModelTable table = parse(k_embedded_models, "models.json").value();
  return table;
}

Result<ModelTable> ModelTable::parse(std::string_view text, std::string_view what) {
  try {
    Json document = Json::parse(text);
    if (document.at("format") != 1) {
      throw std::invalid_argument("`format` must be 1");
    }
    ModelTable table;
    table.m_date = document.at("date");
    for (const Json& row : document.at("providers")) {
      table.m_providers.push_back(provider_row(row));
    }
    for (const auto& [alias, name] : document.at("aliases").items()) {
      table.m_aliases.emplace(alias, name.get<std::string>());
    }
    for (const Json& row : document.at("families")) {
      table.m_families.push_back({.prefix = row.at("prefix"),
                                  .provider = row.at("provider"),
                                  .rejects = row.at("rejects")});
    }
    for (const Json& row : document.at("prices")) {
      table.m_prices.push_back(price_row(row));
    }
    for (const auto& [provider, factors] : document.at("cache").items()) {
      table.m_cache.emplace(provider,
                            CacheFactors{.read = factors.at("read"), .write = factors.at("write")});
    }
    return table;
  } catch (const std::exception& problem) {
    return fail(ErrorCode::corrupt, "`" + std::string(what) + "`: " + problem.what());
  }
}

const ProviderRow* ModelTable::provider(std::string_view name) const {
  auto at = std::ranges::find(m_providers, name, &ProviderRow::name);
  return at == m_providers.end() ? nullptr : &*at;
}

const FamilyRow* ModelTable::family(std::string_view model_id) const {
  const FamilyRow* longest = nullptr;
  for (const FamilyRow& row : m_families) {
    if (model_id.starts_with(row.prefix)
        && (longest == nullptr || row.prefix.size() > longest->prefix.size())) {
      longest = &row;
    }
  }
  return longest;
}

const PriceRow* ModelTable::price(std::string_view provider, std::string_view model_id) const {
  auto fits = [&](const PriceRow& row) {
    return row.provider == provider && model_id.starts_with(row.id)
           && (model_id.size() == row.id.size() || is_dated(model_id.substr(row.id.size())));
  };
  auto at = std::ranges::find_if(m_prices, fits);
  return at == m_prices.end() ? nullptr : &*at;
}

CacheFactors ModelTable::cache(std::string_view provider) const {
  auto at = m_cache.find(provider);
  return at == m_cache.end() ? CacheFactors{} : at->second;
}

} // namespace upskill::models
