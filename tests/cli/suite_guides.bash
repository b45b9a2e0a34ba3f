# guides: every command that the README's guides for agents show, in a home where each agent has a folder.
# What the real programs make of it: tests/agents.

readme=$(dirname "${BASH_SOURCE[0]}")/../../README.md

# The commands of the guide with this heading, without their remarks.
commands_of() {
  awk -v heading="### $1" '
    /^#/ {inside = ($0 == heading)}
    inside && /^    upskill / {sub(/^ +/, ""); sub(/ +#.*/, ""); print}' "$readme"
}

# Every file of the agents, with its mode, but for skills.
agents_files() {
  (cd ~ && find .claude* .codex .cursor .gemini .copilot .config project -type f -not -path '*/skills/*' \
    -not -path '*/.upskill-stage/*' -not -path '.config/upskill/*' -printf '%m %p\n' -exec md5sum {} \; | sort)
}

# guide NAME: runs its commands one after the other; each ends with 0.
guide() {
  local command words
  export XDG_RUNTIME_DIR=$CASE_FOLDER/run # no systemd of this machine's
  export COLUMNS=300
  mkdir -p "$XDG_RUNTIME_DIR" ~/.claude ~/.codex ~/.cursor ~/.gemini ~/.copilot ~/.config/opencode \
    ~/.config/Code/User ~/project/.cursor
  printf '{"mcpServers": {"other": {"command": "x"}}} // mine\n' >~/.cursor/mcp.json
  printf '# mine\nmodel = "o"\n' >~/.codex/config.toml
  cd ~/project
  agents_files >"$CASE_FOLDER/before"
  commands_of "$1" >"$CASE_FOLDER/commands"
  [[ $(wc -l <"$CASE_FOLDER/commands") -ge 2 ]] || fail "the guide for $1 has no commands"
  while read -r command; do
    read -ra words <<<"$command"
    run 0 "${words[@]}"
    [[ -n $out ]] || fail "$command said nothing"
  done <"$CASE_FOLDER/commands"
  agents_files >"$CASE_FOLDER/after"
}

# guide_and_back NAME: the same of one whose last command takes all of it back.
guide_and_back() {
  guide "$1"
  same "$CASE_FOLDER/before" "$CASE_FOLDER/after"
}

test_claude_code() {
  guide_and_back "Claude Code"
}

test_codex() {
  guide_and_back Codex
}

test_cursor() {
  guide_and_back Cursor
}

test_gemini_cli() {
  guide_and_back "Gemini CLI"
}

test_copilot_and_vs_code() {
  guide_and_back "Copilot CLI and VS Code"
}

test_opencode() {
  guide_and_back OpenCode
}

test_any_other() {
  guide "Any other"
}

# A guide that is added is run.
test_every_guide_is_run() {
  local heading
  while read -r heading; do
    grep -qE "^  guide(_and_back)? \"?$heading\"?$" "${BASH_SOURCE[0]}" || fail "no case runs the guide for $heading"
  done < <(awk '/^## /{inside = ($0 == "## Agent by agent")} inside && /^### /{print substr($0, 5)}' "$readme")
}
