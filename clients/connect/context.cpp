#include "clients/connect/context.h"

#include <unistd.h>

#include <array>

namespace upskill::connect {
namespace {

// Keys and addresses of models, where a coding agent is found that is to be evaluated, and how git
// and MCP servers that skills are fetched from know a person.
constexpr std::array<std::string_view, 29> k_variables{"ANTHROPIC_API_KEY",
                                                       "ANTHROPIC_BASE_URL",
                                                       "OPENAI_API_KEY",
                                                       "OPENAI_API_BASE",
                                                       "OPENAI_BASE_URL",
                                                       "GENERIC_API_KEY",
                                                       "GENERIC_BASE_URL",
                                                       "HF_TOKEN",
                                                       "GEMINI_API_KEY",
                                                       "GOOGLE_GEMINI_BASE_URL",
                                                       "COPILOT_GITHUB_TOKEN",
                                                       "CURSOR_API_KEY",
                                                       "PATH",
                                                       "SSL_CERT_FILE",
                                                       "UPSKILL_CONFIG",
                                                       "UPSKILL_MCP_TOKENS",
                                                       "SSH_AUTH_SOCK",
                                                       "GIT_SSH",
                                                       "GIT_SSH_COMMAND",
                                                       "XDG_RUNTIME_DIR",
                                                       "DBUS_SESSION_BUS_ADDRESS",
                                                       "HTTP_PROXY",
                                                       "HTTPS_PROXY",
                                                       "ALL_PROXY",
                                                       "NO_PROXY",
                                                       "http_proxy",
                                                       "https_proxy",
                                                       "all_proxy",
                                                       "no_proxy"};

} // namespace

CallContext collect_context(const Environment& environment) {
  CallContext context;
  char buffer[4096];
  if (::getcwd(buffer, sizeof buffer) != nullptr) {
    context.cwd = buffer;
  }
  context.config = environment("UPSKILL_CONFIG").value_or("");
  for (std::string_view name : k_variables) {
    if (std::optional<std::string> value = environment(name); value && !value->empty()) {
      context.environment.emplace(name, std::move(*value));
    }
  }
  return context;
}

} // namespace upskill::connect
