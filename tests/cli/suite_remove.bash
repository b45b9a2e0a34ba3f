# remove: exactly what was asked for, into the trash, and back again.

. "$(dirname "${BASH_SOURCE[0]}")/update_world.bash"

test_what_is_removed_is_gone_everywhere_and_nowhere_else() {
  a_source pdf docx
  cp -r "$s" before
  run 0 upskill remove pdf --dry-run
  has "What would be removed" "pdf"
  [[ -d $c/pdf ]] || fail "a dry run removes"
  run 0 upskill remove pdf --yes
  absent "$a/pdf"
  absent "$c/pdf"
  [[ -f $c/docx/SKILL.md && -f $a/docx/SKILL.md ]] || fail "another one went"
  same before "$s"
  run 0 upskill outdated --json
  lacks '"skill":"pdf"'
  run 0 upskill list --json
  lacks '"skill":"pdf"'
}

test_undo_brings_it_back() {
  a_source pdf
  cp -r "$c/pdf" before
  run 0 upskill rm pdf --yes
  has "upskill sync undo"
  run 0 upskill sync undo --yes
  same before "$c/pdf"
  same before "$a/pdf"
  edit "$s/pdf/SKILL.md" "Two." "Two of theirs."
  run 0 upskill update --yes
  everywhere pdf "Two of theirs."
}

test_rollback_brings_back_what_was_edited() {
  a_source pdf
  local folder
  for folder in "$a" "$c"; do edit "$folder/pdf/SKILL.md" "Two." "Two of mine."; done
  run 0 upskill remove pdf --yes
  has "upskill rollback pdf"
  absent "$c/pdf"
  run 0 $(grep -o 'upskill rollback pdf [0-9a-f]*' <<<"$out" | tail -n 1) --yes
  everywhere pdf "Two of mine."
}

test_several_at_once() {
  a_source pdf docx csv
  run 0 upskill remove pdf csv --yes --json
  has '"skill":"pdf"' '"skill":"csv"'
  absent "$c/pdf"
  absent "$a/csv"
  [[ -d $a/docx ]] || fail "docx went"
}

test_one_agent_loses_it_and_the_others_keep_it() {
  a_source pdf
  run 0 upskill remove pdf --agent claude-code --yes
  absent "$c/pdf"
  run 0 upskill list --agent codex --json
  has '"skill":"pdf"'
  run 0 upskill list --agent claude-code --json
  lacks '"skill":"pdf"'
  [[ -f $s/pdf/SKILL.md ]] || fail "the source went"
}

test_undo_takes_away_what_stood_in_for_others() {
  mkdir -p ~/.codex ~/.cursor
  skill "$s" pdf
  run 0 upskill install "$s" --yes
  cp -r "$a" before
  run 0 upskill remove pdf --agent codex --yes
  absent "$a/pdf"
  [[ -f ~/.cursor/skills/pdf/SKILL.md ]] || fail "Cursor lost it, too"
  run 0 upskill sync undo --dry-run
  [[ -f ~/.cursor/skills/pdf/SKILL.md ]] || fail "a dry run undoes"
  run 0 upskill sync undo --yes
  same before "$a"
  absent ~/.cursor/skills/pdf
  run 0 upskill list --agent cursor --json
  has '"skill":"pdf"'
}

test_what_is_not_there_removes_nothing() {
  a_source pdf
  run 3 upskill remove nosuch --yes
  err_has "nosuch"
  run 3 upskill remove pdf nosuch --yes
  [[ -d $c/pdf ]] || fail "half of it was done"
}

test_names_that_lead_elsewhere_are_refused() {
  a_source pdf
  mkdir -p ~/precious && echo 1 >~/precious/file
  local name code
  for name in ../../precious .. . "$HOME/precious" "pdf/../../../precious" "" $'a\nb'; do
    code=0
    upskill remove "$name" --yes >text 2>&1 || code=$?
    [[ $code == 2 || $code == 3 ]] || fail "\`$name\`: ended with $code: $(<text)"
  done
  is_file ~/precious/file 1
  [[ -d $c/pdf ]] || fail "pdf went"
}

test_a_skill_that_was_not_installed_can_be_removed_too() {
  three_agents
  skill "$c" mine
  run 0 upskill remove mine --yes
  absent "$c/mine"
  run 0 upskill sync undo --yes
  [[ -f $c/mine/SKILL.md ]] || fail "it does not come back"
}

test_a_link_goes_and_what_it_leads_to_stays() {
  three_agents
  skill ~/elsewhere pdf
  mkdir -p "$c"
  ln -s ~/elsewhere/pdf "$c/pdf"
  run 0 upskill remove pdf --yes
  absent "$c/pdf"
  [[ -f ~/elsewhere/pdf/SKILL.md ]] || fail "what it led to went"
}

test_a_projects_copy_is_another() {
  a_source pdf
  mkdir -p ~/project/.claude
  run 0 upskill install "$s" --project ~/project --yes
  run 0 upskill remove pdf --project ~/project --yes
  absent ~/project/.claude/skills/pdf
  [[ -d $c/pdf ]] || fail "the user's went"
}

test_it_can_be_installed_again() {
  a_source pdf
  run 0 upskill remove pdf --yes
  run 0 upskill install "$s" --yes --json
  has '"state":"installed"'
  same "$s/pdf" "$c/pdf"
}

test_sync_does_not_bring_it_back() {
  three_agents
  run 0 upskill sync enable --yes
  skill "$s" pdf
  run 0 upskill install "$s" --yes
  wait_idle
  run 0 upskill remove pdf --yes
  wait_idle
  absent "$a/pdf"
  absent "$c/pdf"
}
