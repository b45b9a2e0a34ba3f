#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::models {

// The language that a server speaks.
enum class Wire { anthropic, chat, responses, scripted };

// A word that names write before a dot, and what it stands for.
struct ProviderRow {
  std::string name = {};
  std::string provider = {}; // as answers name it
  Wire wire = Wire::chat;
  std::string base_url = {};
  std::vector<std::string> base_variables = {}; // the first that is set counts
  std::string key_variable = {};
  bool is_key_needed = true;
};

// What is known of all models whose id begins with this; the longest prefix counts.
struct FamilyRow {
  std::string prefix = {};
  std::string provider = {};             // of a name without one: a ProviderRow's name
  std::vector<std::string> rejects = {}; // parameters, as the wire calls them
};

// US dollars per million tokens.
struct PriceRow {
  std::string id = {};
  std::string provider = {};
  double input = 0;
  double output = 0;
  std::optional<std::int64_t> long_prompt = {}; // tokens from which long_input counts
  double long_input = 0;
};

// What a cached token costs, in tokens of input.
struct CacheFactors {
  double read = 1;
  double write = 1;
};

// models.json, which is data with a date: prices and what models take change without us.
// Owner: the program, made at the first use. Thread: any. Lifetime: the program's.
class ModelTable {
public:
  static const ModelTable& built_in();
  // corrupt: not such a table. `what` names it in errors.
  static Result<ModelTable> parse(std::string_view text, std::string_view what);

  const std::string& date() const { return m_date; }

  const std::vector<ProviderRow>& providers() const { return m_providers; }

  const std::map<std::string, std::string, std::less<>>& aliases() const { return m_aliases; }

  const std::vector<PriceRow>& prices() const { return m_prices; }

  const ProviderRow* provider(std::string_view name) const;
  const FamilyRow* family(std::string_view model_id) const;
  // Of this id, or of a dated one of it (`claude-haiku-4-5-20251001`).
  const PriceRow* price(std::string_view provider, std::string_view model_id) const;
  CacheFactors cache(std::string_view provider) const;

private:
  std::string m_date;
  std::vector<ProviderRow> m_providers;
  std::map<std::string, std::string, std::less<>> m_aliases;
  std::vector<FamilyRow> m_families;
  std::vector<PriceRow> m_prices;
  std::map<std::string, CacheFactors, std::less<>> m_cache;
};

} // namespace upskill::models
