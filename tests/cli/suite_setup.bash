# setup: agents connected in one command, and all of it taken back. Folders stand for the agents: what
# the real programs make of it is tested with them.

. "$(dirname "${BASH_SOURCE[0]}")/window.bash"

setup_world() {
  export XDG_RUNTIME_DIR=$CASE_FOLDER/run # no systemd of this machine's
  mkdir -p "$XDG_RUNTIME_DIR"
  export COLUMNS=300 # sentences stay whole
  program=$(type -P upskill)
}

# The configuration of five agents, as people have it.
five_agents() {
  setup_world
  mkdir -p ~/.claude ~/.codex ~/.cursor ~/.gemini ~/.copilot ~/.config/opencode ~/.config/Code/User
  printf '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n' >~/.claude.json
  chmod 600 ~/.claude.json
  printf '{\r\n\t// mine\r\n\t"model": "opus", // fast\r\n\t"hooks": {"Stop": [],},\r\n}' >~/.claude/settings.json
  printf '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x" # theirs' >~/.codex/config.toml
  printf '{"mcpServers":{}}' >~/.cursor/mcp.json
  printf '\xEF\xBB\xBF{\n}\n' >~/.gemini/settings.json
  printf '{\n    // the editor writes these\n    "theme": "dark",\n}\n' >~/.config/opencode/opencode.jsonc
}

# Every file of the agents with its mode, but for skills.
agents_files() {
  (cd ~ && find .claude* .codex .cursor .gemini .copilot .config -type f -not -path '*/skills/*' \
    -not -path '*/.upskill-stage/*' -printf '%m %p\n' -exec md5sum {} \; | sort)
}

test_all_of_it_and_back_byte_for_byte() {
  five_agents
  agents_files >before
  run 0 upskill setup --yes
  has 'MCP server `upskill`' 'hooks for Stop, SubagentStop, PreCompact, SessionEnd' \
    'OpenCode runs no hooks' '`/hooks` in Codex'
  grep -q "\"command\": \"$program\"" ~/.claude.json || fail "Claude Code: $(<~/.claude.json)"
  grep -q '"other"' ~/.claude.json
  [[ $(stat -c %a ~/.claude.json) == 600 ]] || fail "the mode of .claude.json changed"
  grep -q "// mine" ~/.claude/settings.json
  grep -q "\"command\": \"$program hook Stop\"" ~/.claude/settings.json
  is_file ~/.codex/config.toml "# mine
model = \"o\"

[mcp_servers.other]
command = \"x\" # theirs

[mcp_servers.upskill]
command = \"$program\"
args = [\"mcp\"]"
  grep -q "\"$program hook stop --agent cursor\"" ~/.cursor/hooks.json
  grep -q '"servers"' ~/.config/Code/User/mcp.json
  grep -q '"tools"' ~/.copilot/mcp-config.json
  grep -q '"enabled"' ~/.config/opencode/opencode.jsonc
  [[ -s ~/.claude/skills/upskill/SKILL.md && -s ~/.agents/skills/upskill/evals/evals.json ]]
  run 0 upskill setup --remove --yes
  agents_files >after
  same before after
  absent ~/.local/share/upskill/setup.json
  absent ~/.claude/skills/upskill
}

test_a_second_time_changes_nothing() {
  five_agents
  run 0 upskill setup --yes
  agents_files >before
  cp ~/.local/share/upskill/setup.json .
  run 0 upskill setup --yes
  has 'Nothing had to be changed'
  agents_files >after
  same before after
  same setup.json ~/.local/share/upskill/setup.json
  run 0 upskill setup --json --yes
  has '"steps":[]' '"state":"unchanged"'
}

test_a_dry_run_shows_and_writes_nothing() {
  five_agents
  agents_files >before
  run 0 upskill setup --dry-run
  has 'What would change' "+[mcp_servers.upskill]" '+++ '
  agents_files >after
  same before after
  absent ~/.local/share/upskill/setup.json
  absent ~/.claude/skills
  run 0 upskill setup --remove --dry-run
  has 'nothing to take back'
}

test_nobody_to_ask_is_a_refusal() {
  five_agents
  run 2 upskill setup
  err_has '--yes'
  run 2 upskill setup --remove
  err_has '--yes'
}

test_what_was_edited_since_stays() {
  five_agents
  run 0 upskill setup --yes
  sed -i 's/"numStartups": 3/"numStartups": 4/' ~/.claude.json
  printf '\n# later\n[mcp_servers.third]\ncommand = "y"\n' >>~/.codex/config.toml
  sed -i 's/"mcpServers"/"theirs": true, "mcpServers"/' ~/.cursor/mcp.json
  run 0 upskill setup --remove --yes
  is_file ~/.claude.json '{
  "numStartups": 4,
  "mcpServers": {
    "other": {"command": "x"}
  }
}'
  is_file ~/.codex/config.toml '# mine
model = "o"

[mcp_servers.other]
command = "x" # theirs

# later
[mcp_servers.third]
command = "y"'
  is_file ~/.cursor/mcp.json '{"theirs": true, "mcpServers":{}}'
}

test_edited_between_two_setups() {
  five_agents
  run 0 upskill setup --yes --no-hooks --agent gemini-cli
  sed -i '1s/{/{ "theirs": 1,/' ~/.gemini/settings.json
  run 0 upskill setup --yes --agent gemini-cli
  grep -q AfterAgent ~/.gemini/settings.json
  run 0 upskill setup --remove --yes
  grep -q theirs ~/.gemini/settings.json || fail "theirs is gone"
  ! grep -q upskill ~/.gemini/settings.json || fail "ours is there: $(<~/.gemini/settings.json)"
}

test_an_entry_of_ours_that_was_edited_stays() {
  five_agents
  run 0 upskill setup --yes --agent claude-code
  sed -i 's/"mcp"/"mcp", "--more"/' ~/.claude.json
  run 0 upskill setup --remove --yes
  has 'it was edited since it was written, so it stays'
  grep -q -- --more ~/.claude.json
}

test_an_entry_that_is_not_ours_stays_and_is_told() {
  five_agents
  printf '{"mcpServers": {"upskill": {"command": "theirs"}}}' >~/.claude.json
  run 0 upskill setup --yes --agent claude-code --agent codex
  has 'an entry `upskill` that is not ours'
  is_file ~/.claude.json '{"mcpServers": {"upskill": {"command": "theirs"}}}'
  grep -q mcp_servers.upskill ~/.codex/config.toml
  run 0 upskill setup --remove --yes
  is_file ~/.claude.json '{"mcpServers": {"upskill": {"command": "theirs"}}}'
}

test_bad_files_are_told_and_the_others_done() {
  five_agents
  printf '{"a": 1 "b": 2}' >~/.claude.json
  printf 'model = \n' >~/.codex/config.toml
  printf '{"a": "\xFF"}' >~/.cursor/mcp.json
  printf '{"mcpServers": []}' >~/.copilot/mcp-config.json
  head -c 4300000 /dev/zero | tr '\0' ' ' >~/.config/opencode/opencode.json
  md5sum ~/.claude.json ~/.codex/config.toml ~/.cursor/mcp.json ~/.copilot/mcp-config.json \
    ~/.config/opencode/opencode.json >before
  run 3 upskill setup --yes
  has 'line 1, column 9: `,` or `}` is missing' 'line 1: this is no TOML value' 'not UTF-8' \
    '`mcpServers` in it is no object' '4 MiB' 'mend the file'
  md5sum --quiet -c before
  grep -q upskill ~/.gemini/settings.json
  grep -q upskill ~/.config/Code/User/mcp.json
  grep -q upskill ~/.claude/settings.json # its hooks lie in a file that is good
}

test_read_only_and_folders_in_the_way() {
  five_agents
  chmod 444 ~/.claude.json
  rm ~/.cursor/mcp.json
  mkdir ~/.cursor/mcp.json
  rm -f ~/.codex/config.toml
  mkfifo ~/.codex/config.toml
  run 3 upskill setup --yes
  has 'is read-only' 'chmod u+w' 'is no regular file'
  ! grep -q upskill ~/.claude.json
  grep -q upskill ~/.gemini/settings.json
}

test_links_are_followed_inside_home_only() {
  five_agents
  mkdir ~/dotfiles
  mv ~/.claude.json ~/dotfiles/claude.json
  ln -s dotfiles/claude.json ~/.claude.json
  cp ~/dotfiles/claude.json before.json
  printf '{}' >"$CASE_FOLDER/outside.json"
  ln -sf "$CASE_FOLDER/outside.json" ~/.cursor/mcp.json
  ln -sf nowhere.json ~/.gemini/settings.json
  run 3 upskill setup --yes
  has 'outside of' 'nothing is there'
  [[ -L ~/.claude.json ]] || fail "the link was replaced"
  grep -q upskill ~/dotfiles/claude.json
  is_file "$CASE_FOLDER/outside.json" '{}'
  run 0 upskill setup --remove --yes
  [[ -L ~/.claude.json ]] || fail "the link was replaced"
  same before.json ~/dotfiles/claude.json
}

test_one_agent_whether_it_is_here_or_not() {
  setup_world
  mkdir -p ~/.cursor
  run 0 upskill setup --yes --agent claude-code
  has 'not found here'
  grep -q upskill ~/.claude.json
  absent ~/.cursor/mcp.json
  run 0 upskill setup --remove --yes --agent cursor
  has 'nothing to take back'
  grep -q upskill ~/.claude.json
  run 0 upskill setup --remove --yes --agent claude-code
  absent ~/.claude.json
  run 2 upskill setup --yes --agent emacs
  err_has 'no agent that can be set up' '`claude-code`' '`vscode`'
}

test_without_hooks_or_without_the_server() {
  five_agents
  run 0 upskill setup --yes --no-hooks
  lacks 'hooks for' 'keep the sessions'
  ! grep -q 'upskill hook' ~/.claude/settings.json
  run 0 upskill setup --remove --yes
  run 0 upskill setup --yes --no-mcp
  grep -q 'upskill hook' ~/.claude/settings.json
  ! grep -q upskill ~/.claude.json
}

test_a_project() {
  five_agents
  agents_files >before
  mkdir -p project/.vscode
  run 0 upskill setup --yes --scope project --project project
  has 'Copilot CLI has no file for it in a project'
  for file in .mcp.json .cursor/mcp.json .vscode/mcp.json .codex/config.toml .gemini/settings.json \
    opencode.json; do
    grep -q "$program" "project/$file" || fail "$file"
  done
  agents_files >after
  same before after
  absent ~/.claude/skills/upskill
  (cd project && run 0 upskill setup --remove --yes --scope project)
  [[ $(find project -mindepth 1) == project/.vscode ]] || fail "left: $(find project)"
}

test_two_homes() {
  five_agents
  mkdir -p second/.claude
  local second=$PWD/second
  HOME=$second run 0 upskill setup --yes
  grep -q upskill second/.claude.json
  ! grep -q '"upskill"' ~/.claude.json
  HOME=$second run 0 upskill setup --remove --yes
  absent second/.claude.json
  HOME=$second run 0 upskill daemon stop
}

test_no_agents() {
  setup_world
  run 0 upskill setup --yes
  has 'No coding agent was found'
  absent ~/.local/share/upskill/setup.json
}

test_a_skill_of_that_name_stays() {
  five_agents
  skill ~/.claude/skills upskill 'Mine.'
  run 0 upskill setup --yes --agent claude-code
  has 'another skill of that name'
  grep -q Mine. ~/.claude/skills/upskill/SKILL.md
  run 0 upskill setup --remove --yes
  grep -q Mine. ~/.claude/skills/upskill/SKILL.md
}

test_our_skill_is_valid() {
  five_agents
  run 0 upskill setup --yes --agent claude-code
  run 0 upskill validate ~/.claude/skills/upskill
  run 0 upskill scan ~/.claude/skills/upskill
}

# What its evals ask is answered by who has read it, and not by who has not.
test_the_evals_of_our_skill() {
  five_agents
  run 0 upskill setup --yes --agent claude-code
  python3 - >student.json <<'END'
import json
answers = {
    "PDF form": "skill_list",
    "gives you its instructions": "skill_read",
    "just edited": "skill_validate, then skill_sync",
    "by hand as well": "No, the daemon brings it to the others.",
    "this very session": "skill_generate with `from`: last",
    "takes minutes": "job",
    "see it in a terminal": "upskill inbox",
    "really helps": "skill_eval",
    "Does the skill help": "That is undecided.",
    "get it in somehow": "Only you can allow it, with `upskill install` in a terminal.",
    "shows both versions": "skill_conflicts",
    "nvcc": "trace_search"}
rules = [{"system": "skill_list", "user": part, "answer": answer} for part, answer in answers.items()]
print(json.dumps({"rules": rules + [{"answer": "I do not know."}]}))
END
  run 0 upskill eval ~/.claude/skills/upskill --model scripted:student.json --json
  has '"cases":12' '"with_skill":{"samples":12,"passed":12' '"baseline":{"samples":12,"passed":0' \
    '"verdict":"better"'
}

test_existing_skills_are_adopted() {
  five_agents
  skill ~/.claude/skills tidy
  run 0 upskill setup --yes
  wait_idle
  [[ -s ~/.agents/skills/tidy/SKILL.md ]] || fail "tidy was not copied"
  run 0 upskill setup --remove --yes
  [[ -s ~/.agents/skills/tidy/SKILL.md && -s ~/.claude/skills/tidy/SKILL.md ]] || fail "copies went"
  run 0 upskill sync status --json
  has '"enabled":false'
}

# systemd as far as setup sees it: its folder, and a program that notes how it is called.
systemd_stands_in() {
  mkdir -p "$XDG_RUNTIME_DIR/systemd" bin
  printf '#!/bin/sh\necho "$@" >>"%s/calls"\nexit %s\n' "$CASE_FOLDER" "$1" >bin/systemctl
  chmod +x bin/systemctl
  PATH=$PWD/bin:$PATH
}

test_start_at_login() {
  five_agents
  systemd_stands_in 0
  run 0 upskill setup --yes
  has 'start the daemon at login'
  run 0 upskill daemon unit
  is_file ~/.config/systemd/user/upskilld.service "$out"
  is_file "$CASE_FOLDER/calls" '--user enable upskilld.service'
  run 0 upskill setup --remove --yes
  absent ~/.config/systemd # with what was made for it
  is_file "$CASE_FOLDER/calls" '--user enable upskilld.service
--user disable upskilld.service'
}

test_start_at_login_beside_other_units() {
  five_agents
  systemd_stands_in 0
  mkdir -p ~/.config/systemd/user
  run 0 upskill setup --yes
  run 0 upskill setup --remove --yes
  [[ -d ~/.config/systemd/user ]] || fail "a folder that was there is gone"
}

test_a_systemd_that_refuses() {
  five_agents
  systemd_stands_in 1
  run 3 upskill setup --yes
  has 'systemctl --user enable` did not work'
  absent ~/.config/systemd
  grep -q upskill ~/.claude.json
}

test_no_systemd_is_told() {
  five_agents
  run 0 upskill setup --yes
  has 'no systemd of this user answers here'
}

test_a_damaged_record_stops_it() {
  five_agents
  run 0 upskill setup --yes
  agents_files >before
  printf '{"files": 1}' >~/.local/share/upskill/setup.json
  run 3 upskill setup --remove --yes
  err_has 'setup.json'
  agents_files >after
  same before after
}

test_a_plan_that_is_out_of_date() {
  five_agents
  run 0 upskill setup --dry-run --json
  plan=$(sed 's/.*"plan":"\([^"]*\)".*/\1/' <<<"$out")
  printf '{"changed": true}' >~/.cursor/mcp.json
  run 3 upskill setup --yes --plan "$plan"
  has 'was changed since the plan was shown'
  is_file ~/.cursor/mcp.json '{"changed": true}'
  grep -q upskill ~/.claude.json
}

test_at_a_terminal_it_shows_and_asks() {
  setup_world
  mkdir -p ~/.cursor
  window 120 60 "upskill setup --no-hooks; read line"
  shows 'What would change' '+  "mcpServers": {' 'Do this? [y/N]'
  keys n Enter
  shows 'Nothing was changed.'
  absent ~/.cursor/mcp.json
  keys Enter
  window 120 60 "upskill setup --no-hooks; read line"
  shows 'Do this? [y/N]'
  keys y Enter
  shows 'Start your agents again'
  grep -q upskill ~/.cursor/mcp.json
}

test_a_program_that_moved() {
  five_agents
  agents_files >before
  run 0 upskill setup --yes
  upskill daemon stop >/dev/null
  sed -i "s#$program#/old/upskill#g" ~/.claude.json ~/.codex/config.toml ~/.claude/settings.json \
    ~/.local/share/upskill/setup.json
  run 0 upskill setup --yes
  grep -q "$program" ~/.claude.json
  grep -q "$program hook Stop" ~/.claude/settings.json
  ! grep -q /old/ ~/.claude.json ~/.codex/config.toml ~/.claude/settings.json || fail "the old one is there"
  run 0 upskill setup --remove --yes
  agents_files >after
  same before after
}

test_two_at_once() {
  five_agents
  agents_files >before
  upskill setup --yes >one 2>&1 &
  upskill setup --yes >two 2>&1 &
  wait
  [[ $(grep -c '"upskill"' ~/.claude.json) == 1 ]] || fail "$(<~/.claude.json)"
  run 0 upskill setup --remove --yes
  agents_files >after
  same before after
}

test_without_a_home() {
  setup_world
  run 2 env -u HOME upskill setup --yes
  err_has HOME
}

test_removed_by_hand_and_set_up_again() {
  five_agents
  agents_files >before
  run 0 upskill setup --yes
  cp "$CASE_FOLDER/home/.claude.json" with
  printf '{\n  "numStartups": 3,\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n' >~/.claude.json
  run 0 upskill setup --yes
  same with ~/.claude.json
  rm ~/.cursor/hooks.json
  run 0 upskill setup --remove --yes
  agents_files >after
  same before after
}

test_agents_cannot_ask_for_it() {
  five_agents
  out=$(tool setup_apply '{}')
  has '"error"'
  ! grep -q '"upskill"' ~/.claude.json
}

test_a_file_that_is_one_long_line_is_shown_in_part() {
  setup_world
  printf '{"secret": "first%s", "x": 1}' "$(head -c 5000 /dev/zero | tr '\0' x)last" >~/.claude.json
  run 0 upskill setup --dry-run --agent claude-code --no-hooks
  has ' … ' '"args": ["mcp"]'
  ((${#out} < 4000)) || fail "too long: ${#out}"
}
