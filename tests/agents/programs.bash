# The agents, as their users have them: where their settings are, how they are asked, and what of theirs
# points at the mock model. Sourced by `run`.

# A long one: Copilot hides its text wherever it occurs.
key=upskill-test-key-that-is-none-0123456789

# describe AGENT: what the rest asks of it.
#   package  in packages.txt            program  its name
#   id       what upskill calls it      student  `--student cli.NAME`
#   own      its folders below HOME     model    one that it takes
describe() {
  agent=$1 package=$1 program=$1 id=$1 student=$1 model=m1 path=/v1 extra=()
  case $agent in
    claude | claude-legacy)
      package=claude program=claude id=claude-code student=claude-code own=.claude model=sonnet path=''
      extra=(DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
        CLAUDE_CODE_MAX_RETRIES=1 IS_SANDBOX=1 ANTHROPIC_API_KEY="$key")
      [[ $agent == claude ]] || extra+=(MCP_SDK_GENERATION=v1) ;;
    codex) own=.codex extra=(MOCK_KEY="$key") ;;
    gemini)
      id=gemini-cli own=.gemini model=gemini-2.5-flash path=''
      extra=(GEMINI_API_KEY="$key" GEMINI_CLI_TRUST_WORKSPACE=true) ;;
    opencode)
      own=.config/opencode
      extra=(OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1) ;;
    copilot)
      id=github-copilot own=.copilot
      extra=(COPILOT_PROVIDER_API_KEY="$key" COPILOT_MODEL=m1 COPILOT_OFFLINE=true) ;;
    *) echo "no agent is called $agent" >&2; return 2 ;;
  esac
}

# Where the model is, for those that are told so by their environment; `port` changes from run to run.
at_model() {
  case $agent in
    claude*) echo "ANTHROPIC_BASE_URL=http://127.0.0.1:$port" ;;
    gemini) echo "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port" ;;
    copilot) echo "COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:$port/v1" ;;
    *) echo "MODEL_PORT=$port" ;;
  esac
}

# Settings as a person keeps them, with comments where they may be.
write_settings() {
  mkdir -p "$home/$own"
  case $agent in
    codex) cat >"$home/.codex/config.toml" <<END ;;
# mine
model = "m1" # the cheap one
model_provider = "mock"
approval_policy = "never"

[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:$port/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
END
    gemini) cat >"$home/.gemini/settings.json" <<'END' ;;
{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
  "general": { "enableAutoUpdate": false }
}
END
    opencode) cat >"$home/.config/opencode/opencode.json" <<END ;;
{
  // mine
  "provider": { "mock": { "npm": "@ai-sdk/openai-compatible", "name": "mock",
    "options": { "baseURL": "http://127.0.0.1:$port/v1", "apiKey": "$key" },
    "models": { "m1": { "name": "m1", "tool_call": true } } } },
  "model": "mock/m1", "small_model": "mock/m1",
  "autoupdate": false, "share": "disabled",
}
END
    copilot) printf '{"mcpServers": {}}\n' >"$home/.copilot/mcp-config.json" ;;
  esac
}

# in_world COMMAND...: in the project of this world, with nothing of the caller's environment; ended
# after two minutes, and cut after 4 MB.
in_world() {
  (
    cd "$world/project" || exit
    timeout -k 5 120 env -i HOME="$home" TMPDIR="$world/tmp" LANG=C.UTF-8 TERM=dumb \
      PATH="$bin:$packages/$package/node_modules/.bin:$rg:/usr/local/bin:/usr/bin:/bin" \
      "${extra[@]}" "$(at_model)" "$@" </dev/null 2>>"$world/stderr" | head -c 4000000
    exit "${PIPESTATUS[0]}"
  )
}

# ask PROMPT: what the agent prints.
ask() {
  case $agent in
    claude*)
      in_world claude -p "$1" --model sonnet --permission-mode dontAsk \
        --allowedTools "Skill Read mcp__upskill__skill_list mcp__upskill__trace_read" ;;
    codex) in_world codex exec --skip-git-repo-check -s read-only "$1" ;;
    gemini) in_world gemini -p "$1" --skip-trust --approval-mode yolo -m gemini-2.5-flash ;;
    opencode) in_world opencode run --auto "$1" ;;
    copilot) in_world copilot -p "$1" --allow-all-tools --no-ask-user --no-auto-update ;;
  esac
}

# What it has of MCP servers, as it says itself; Gemini CLI says so where errors go.
servers() { in_world bash -c 'exec "$0" mcp list 2>&1' "$program"; }

connect() { in_world upskill setup --yes; } # with Cursor, whose folder is there, too
disconnect() { in_world upskill setup --remove --yes; }
