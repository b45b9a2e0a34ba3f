# What a person at a terminal sees. `script` (bsdutils) makes the terminal.

# at_terminal ANSWERS WORDS...: runs a command on a terminal where ANSWERS are typed; leaves what was
# shown in $out and the exit code in $code.
at_terminal() {
  local answers=$1
  shift
  command -v script >/dev/null || skip "there is no script(1) to make a terminal"
  code=0
  printf "$answers" | TERM=xterm script -qec "$*" /dev/null >"$CASE_FOLDER/out" || code=$?
  out=$(tr -d '\r' <"$CASE_FOLDER/out")
}

test_enable_shows_the_plan_and_asks() {
  three_agents
  skill ~/.claude/skills pdf
  at_terminal 'n\n' upskill sync enable
  has "What sync would do" "pdf" "[y/N]" "Nothing was changed"
  [[ $code == 0 ]] || fail "ended with $code"
  run 0 upskill sync status --json
  has '"enabled":false'
  at_terminal 'y\n' upskill sync enable
  has "[y/N]" "Sync is on"
  run 0 upskill sync status --json
  has '"enabled":true'
}

test_nothing_to_do_is_not_asked_about() {
  three_agents
  run 0 upskill sync enable --yes
  at_terminal '' upskill sync now
  has "nothing to do"
  lacks "[y/N]"
}

test_every_decision_about_a_held_deletion_is_asked_about() {
  three_agents
  local name
  for name in a b c d e f; do
    skill ~/.claude/skills $name
  done
  run 0 upskill sync enable --yes
  wait_idle
  rm -r ~/.agents/skills/[a-e]
  wait_idle
  run 0 upskill sync conflicts
  has "deletion held"
  at_terminal 'n\n' upskill sync resolve a delete
  has "[y/N]" "Nothing was changed"
  at_terminal 'n\n' upskill sync resolve a restore
  has "[y/N]" "Nothing was changed"
  run 0 upskill sync conflicts a
  has "deletion held"
  [[ -f ~/.claude/skills/a/SKILL.md ]] || fail "it was deleted"
  at_terminal 'y\n' upskill sync resolve a delete
  has "[y/N]"
  wait_idle
  absent ~/.claude/skills/a
}

test_a_choice_that_changes_no_copy_is_asked_about() {
  three_agents
  skill ~/.claude/skills pdf
  skill ~/.agents/skills pdf "Do it otherwise."
  run 0 upskill sync enable --yes
  wait_idle
  at_terminal 'n\n' upskill sync resolve pdf winner
  has "No copy would change." "[y/N]" "Nothing was changed"
  run 0 upskill sync conflicts pdf
  has "winner"
}

test_json_is_indented_for_a_person() {
  at_terminal '' upskill status --json
  has '{
  "version": "'
}

test_colours_on_a_terminal_only() {
  at_terminal '' upskill status
  has $'\e['
  at_terminal '' upskill status --no-color
  lacks $'\e[3' $'\e[1m'
  at_terminal '' env NO_COLOR=1 upskill status
  lacks $'\e[3' $'\e[1m'
  run 0 upskill status
  lacks $'\e'
}

test_mcp_says_what_it_is_for() {
  at_terminal '\004' upskill mcp
  has "is what a coding agent starts"
}
