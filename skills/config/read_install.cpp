#include "skills/config/read_install.h"

#include "skills/config/tell_findings.h"
#include "skills/regression/yaml_fields.h"

#include <algorithm>
#include <array>

namespace upskill::config {
namespace {

constexpr std::size_t k_max_sources = 100;
constexpr std::size_t k_max_source = 4096; // bytes
constexpr std::size_t k_max_hosts = 100;
constexpr std::size_t k_max_host = 300; // bytes

// By their place in AgentInstall.
constexpr std::array<std::string_view, 3> k_agents{"ask", "refuse", "allow"};

// Nothing for what is no `host` or `host:port`: it would never be met, and its owner would not
// learn why.
std::string host_of(std::string_view written) {
  std::string host(written);
  std::ranges::transform(host, host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz0123456789-._:[]";
  return host.find_first_not_of(k_letters) == std::string::npos ? host : std::string();
}

} // namespace

Result<Install> read_install(const document::Yaml& mapping, std::vector<std::string>& warnings) {
  eval::Findings findings;
  regression::YamlFields fields(mapping, "line ", "install.", findings);
  Install install;
  install.sources = fields.texts("sources", k_max_sources, k_max_source);
  for (const std::string& written : fields.texts("private_hosts", k_max_hosts, k_max_host)) {
    install.private_hosts.push_back(host_of(written));
    if (install.private_hosts.back().empty()) {
      fields.refuse("private_hosts",
                    "has " + regression::shown(written) + ", which is no host",
                    "write `git.example.lan`, or `git.example.lan:8443`");
    }
  }
  if (std::optional<std::string> agents = fields.word("agents", k_agents)) {
    auto at = std::ranges::find(k_agents, *agents);
    install.agents = static_cast<AgentInstall>(at - k_agents.begin());
  }
  fields.warn_of_others();
  TRY(tell_findings(std::move(findings), warnings));
  return install;
}

} // namespace upskill::config
