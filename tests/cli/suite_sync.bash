# sync: enable, converge, conflicts, undo.

# Where the policy `cover` puts copies for these three agents.
a=~/.agents/skills
c=~/.claude/skills

enabled() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync enable --yes
  wait_idle
}

# Two edits that cannot be joined, made while no daemon runs.
edited_in_both() {
  enabled
  run 0 upskill daemon stop
  sed -i 's/Do it./Do it this way./' "$a/pdf/SKILL.md"
  sed -i 's/Do it./Do it that way./' "$c/pdf/SKILL.md"
}

test_off_at_first() {
  run 0 upskill sync status
  has "Sync is off" "upskill sync enable"
  run 1 upskill sync status --check
}

test_a_plan_while_sync_is_off_says_so() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync plan
  has "Sync is off" "upskill sync enable --dry-run"
  lacks "nothing to copy"
}

test_dry_run_changes_nothing() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync enable --dry-run --json
  has '"enabled":false' '"action":"create"'
  absent "$a"
  run 0 upskill sync status --json
  has '"enabled":false'
}

test_the_plan_says_which_copy_wins_a_first_conflict() {
  three_agents
  skill "$a" pdf "This way."
  skill "$c" pdf "That way."
  touch -d '1 hour ago' "$c/pdf/SKILL.md"
  run 0 upskill sync enable --dry-run
  out=$(tr -s ' \n' ' ' <<<"$out")
  has "conflict 1 " "! pdf: ~/.agents/skills/pdf wins and stays; it goes to ~/.claude/skills/pdf, and what lies" \
    "is kept as a conflict version (first found with different content in 2 places)"
  touch -d '2 hours ago' "$a/pdf/SKILL.md"
  run 0 upskill sync enable --dry-run
  out=$(tr -s ' \n' ' ' <<<"$out")
  has "! pdf: ~/.claude/skills/pdf wins"
}

test_enable_copies_to_who_lacks_it() {
  enabled
  same "$c/pdf" "$a/pdf"
  run 0 upskill sync status --check
  has "pdf"
  run 0 upskill sync status --json
  has '"enabled":true' '"state":"in_sync"'
}

test_an_agent_that_comes_later_takes_part() {
  skill "$c" pdf
  run 0 upskill sync enable --yes
  has "There is nothing to copy."
  wait_idle
  mkdir ~/.codex
  wait_idle
  same "$c/pdf" "$a/pdf"
  run 0 upskill list
  has codex
  mkdir -p ~/.codeium/windsurf/skills
  skill ~/.codeium/windsurf/skills two
  wait_idle
  same ~/.codeium/windsurf/skills/two "$c/two"
}

test_an_edit_arrives() {
  enabled
  echo "More." >>"$a/pdf/SKILL.md"
  wait_idle
  same "$a/pdf" "$c/pdf"
}

test_a_new_skill_arrives() {
  enabled
  skill "$a" docx
  wait_idle
  same "$a/docx" "$c/docx"
}

test_a_deletion_arrives_and_can_be_undone() {
  enabled
  rm -r "$a/pdf"
  run 0 upskill sync now --yes
  wait_idle
  absent "$c/pdf"
  run 0 upskill sync undo --yes
  wait_idle
  [[ -f $c/pdf/SKILL.md && -f $a/pdf/SKILL.md ]] || fail "it did not come back"
}

test_log_tells_what_was_done() {
  enabled
  run 0 upskill sync log --json
  has '"skill":"pdf"' '"action":"create"'
  run 0 upskill sync log pdf
  has "create" "pdf"
}

test_undo_of_an_edit() {
  enabled
  cp "$a/pdf/SKILL.md" before
  echo "More." >>"$a/pdf/SKILL.md"
  wait_idle
  run 0 upskill sync undo --yes
  wait_idle
  same before "$a/pdf/SKILL.md"
  same before "$c/pdf/SKILL.md"
}

test_undo_walks_back_and_an_undo_is_undone() {
  enabled
  local text
  for text in One. Two. Three.; do
    cp "$a/pdf/SKILL.md" "before-$text"
    echo "$text" >>"$c/pdf/SKILL.md"
    wait_idle
  done
  for text in Three. Two. One.; do
    run 0 upskill sync undo --yes
    wait_idle
    same "before-$text" "$a/pdf/SKILL.md"
  done
  run 0 upskill sync undo --yes
  absent "$a/pdf"
  same before-One. "$c/pdf/SKILL.md"
  run 3 upskill sync undo --yes
  err_has "nothing to undo"
  run 0 upskill sync log --json
  [[ $out =~ \"id\":([0-9]+) ]] || fail "no entry"
  run 0 upskill sync undo "${BASH_REMATCH[1]}" --yes
  wait_idle
  same "$c/pdf" "$a/pdf"
}

test_what_an_undo_took_away_comes_back_with_an_edit() {
  enabled
  run 0 upskill sync undo --yes
  wait_idle
  absent "$a/pdf"
  echo "More." >>"$c/pdf/SKILL.md"
  wait_idle
  same "$c/pdf" "$a/pdf"
}

test_a_conflict_is_kept_and_resolved() {
  edited_in_both
  run 0 upskill sync now --yes
  wait_idle
  run 0 upskill sync conflicts --json
  has '"skill":"pdf"' 'this way' 'that way'
  run 0 upskill sync conflicts
  has "winner" "loser"
  run 0 upskill sync resolve pdf loser --yes
  wait_idle
  same "$a/pdf" "$c/pdf"
  run 0 upskill sync conflicts
  has "no conflicts"
}

test_a_version_is_named_by_its_path_as_a_person_writes_it() {
  enabled
  ln -s .claude ~/also
  cd ~
  run 0 upskill sync now --yes
  local words hash
  for words in .claude/skills/pdf ./.claude/skills/pdf "$c/pdf/" '~/.claude/skills/pdf' \
    .claude/../.claude//skills/pdf also/skills/pdf hash; do
    upskill daemon stop >/dev/null
    skill "$c" pdf "For $words, that way."
    skill "$a" pdf "For $words, this way."
    touch -d '1 hour ago' "$c/pdf/SKILL.md"
    run 0 upskill sync now --yes
    wait_idle
    run 2 upskill sync resolve pdf nonsense --yes
    err_has "names no version" "the path of one"
    if [[ $words == hash ]]; then
      run 0 upskill sync conflicts
      hash=$(sed -n 's/^  loser   \([0-9a-f]*\) .*/\1/p' <<<"$out")
      run 0 upskill sync resolve pdf "${hash^^}" --yes
    else
      run 0 upskill sync resolve pdf "$words" --yes
    fi
    wait_idle
    grep -q "that way" "$a/pdf/SKILL.md" || fail "$words: it is not what was named"
  done
}

test_what_is_said_of_several_losers_can_be_typed() {
  three_agents
  skill "$a" pdf "This way."
  skill "$c" pdf "That way."
  skill ~/.cursor/skills pdf "Another way."
  run 0 upskill sync enable --yes
  wait_idle
  run 0 upskill sync conflicts
  lacks "pdf loser"
  local command
  [[ $(grep -c "takes this one" <<<"$out") == 2 ]] || fail "$out"
  command=$(sed -n 's/^  `\(upskill sync resolve pdf [0-9a-f]*\)` takes.*/\1/p' <<<"$out" | head -n 1)
  run 0 $command --yes
  run 0 upskill sync conflicts
  has "no conflicts"
}

test_a_word_about_a_project_changes_nothing_for_others() {
  enabled
  mkdir project
  skill project/.claude/skills docx
  local words
  for words in "--policy mirror" "--without cursor" "--agent codex" "--link codex" "--exclude pdf"; do
    run 2 upskill sync enable --project project $words --yes
    err_has "\`${words% *}\` must be what is in force" "hint: "
  done
  absent project/.agents
  absent ~/.cursor/skills
  run 0 upskill sync enable --project project --policy cover --without none --yes
  same project/.claude/skills/docx project/.agents/skills/docx
  run 2 upskill sync enable --project project --policy mirror --yes
}

test_a_project_alone_has_its_choices() {
  three_agents
  skill "$c" pdf
  mkdir project
  skill project/.claude/skills docx
  run 0 upskill sync enable --project project --agent codex --agent claude-code --yes
  run 0 upskill sync enable --project project --policy mirror --yes
  run 0 upskill sync status --json
  has '"policy":"mirror"' '"agents":["claude-code","codex"]'
  absent "$a/pdf"
}

test_a_choice_that_changes_no_copy_is_told_of() {
  edited_in_both
  run 0 upskill sync now --yes
  wait_idle
  run 0 upskill sync resolve pdf winner --dry-run
  has "No copy would change." "Conflict 1 would be settled."
  run 0 upskill sync resolve pdf winner --yes
  has "No copy was changed." "Conflict 1 is settled."
  lacks "nothing to do"
  run 0 upskill sync undo --yes
  has "Conflict 2 waits again." "1 conflict waits for you"
  run 0 upskill sync resolve pdf winner --yes --json
  has '"steps":[]' '"settled":[2]'
  run 0 upskill sync undo --yes --json
  has '"opened":[3]'
}

test_disable_leaves_every_copy() {
  enabled
  run 0 upskill sync disable --yes
  echo "More." >>"$a/pdf/SKILL.md"
  run 0 upskill sync status --json
  has '"enabled":false'
  [[ -f $c/pdf/SKILL.md ]] || fail "a copy went away"
}

test_without_an_agent() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync enable --without claude-code --yes
  wait_idle
  run 0 upskill sync status --json
  lacks '"agents":["claude-code"'
}

test_every_list_of_sync_enable_can_be_emptied() {
  enabled
  run 0 upskill sync enable --without cursor --exclude docx --link codex --yes
  run 0 upskill sync enable --yes
  run 0 upskill sync status
  has "Without" "cursor" "Excluded" "docx" "Links" "codex"
  run 0 upskill sync status --json
  has '"without":["cursor"]' '"exclude":["docx"]' '"link":["codex"]'
  run 0 upskill sync enable --without none --exclude none --link none --yes
  run 0 upskill sync status --json
  has '"agents":["claude-code","codex","cursor"]'
  lacks '"without":' '"exclude":' '"link":'
  run 0 upskill sync enable --agent codex --agent cursor --yes
  run 0 upskill sync status --json
  has '"agents":["codex","cursor"]' '"chosen":["codex","cursor"]'
  run 0 upskill sync enable --agent all --yes
  run 0 upskill sync status --json
  has '"agents":["claude-code","codex","cursor"]'
  lacks '"chosen":'
  run 2 upskill sync enable --without none --without cursor --yes
  err_has "\`--without\`: \`none\` goes with no other" "hint: "
  run 2 upskill sync enable --without "" --yes
  err_has "is no agent" "\`none\`"
}

test_an_agent_that_is_named_is_left_out_no_more() {
  enabled
  run 0 upskill sync enable --without cursor --without codex --yes
  run 0 upskill sync enable --agent cursor --agent claude-code --yes
  run 0 upskill sync status --json
  has '"agents":["claude-code","cursor"]' '"without":["codex"]'
  run 0 upskill sync enable --without claude-code --yes
  run 0 upskill sync status --json
  has '"agents":["cursor"]' '"chosen":["cursor"]' '"without":["claude-code"]'
  run 2 upskill sync enable --without cursor --yes
  err_has "no agent would be left" "--agent all"
  run 2 upskill sync enable --agent codex --without codex --yes
  err_has "\`codex\` is named by"
}

test_sync_for_nobody_is_not_in_sync() {
  enabled
  run 0 upskill sync enable --without claude-code --without codex --without cursor --yes
  run 1 upskill sync status --check
  has "no coding agent takes part" "--without none"
  lacks "in sync"
  run 0 upskill status
  has "no coding agent takes part"
  lacks "at rest"
  run 0 upskill list
  has "no coding agent takes part"
  lacks "in sync"
  run 0 upskill sync now --yes
  has "no coding agent takes part"
  run 0 upskill sync wait
  has "no coding agent takes part"
  lacks "synced"
}

test_mirror() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync enable --policy mirror --yes --json
  has '"policy":"mirror"'
}

test_nothing_to_do() {
  enabled
  run 0 upskill sync now --yes
  has "nothing to do"
}

test_a_restart_forgets_nothing() {
  enabled
  run 0 upskill daemon stop
  echo "More." >>"$c/pdf/SKILL.md"
  run 0 upskill sync status
  wait_idle
  same "$c/pdf" "$a/pdf"
}

test_a_name_of_nothing_is_an_error() {
  enabled
  local words
  for words in status "status --check" plan now log conflicts; do
    set -- $words
    run 3 upskill sync "$1" pfd "${@:2}"
    err_has "\`pfd\` is no skill that is known here" "hint: did you mean \`pdf\`?"
    [[ -z $out ]] || fail "sync $words: $out"
  done
  run 3 upskill sync now qqqqqq
  err_has "\`upskill list\` finds skills"
}

test_a_name_is_known_before_it_is_under_sync() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync status pdf
  has "Sync is off" "\`pdf\` is not under sync"
  run 1 upskill sync status pdf --check
  run 0 upskill sync enable --exclude pdf --yes
  run 0 upskill sync log pdf
  has "Sync has not changed \`pdf\` yet"
}

test_skills_are_counted_before_sync_is_on() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync status --json
  has '.claude/skills","scope":"user","state":"ok","agents":["claude-code","cursor"],"skills":1'
}

test_disable_of_a_project_says_what_is_off() {
  enabled
  mkdir -p project/.claude
  run 3 upskill sync disable --project project --yes
  err_has "is no project under sync" "hint: "
  run 0 upskill sync enable --project project --yes
  run 0 upskill sync disable --project project --yes
  has "Sync of \`" "project\` is off" "stays so"
  run 0 upskill sync status
  has "Sync is on"
}

test_what_is_excluded_is_shown_as_excluded() {
  enabled
  skill "$c" pdf
  skill "$c" docx
  run 0 upskill sync wait
  run 0 upskill sync enable --exclude pdf --yes
  echo edited >>"$c/pdf/SKILL.md"
  skill "$c" pdf-new
  run 0 upskill sync wait
  for turn in running restarted; do
    run 0 upskill sync status pdf --json
    has '"skill":"pdf","state":"excluded","scope":"user","replicas":[' '/pdf","state":"left_alone","reason":"'
    lacks '"hash":' '"in_sync"' '"current"'
    run 0 upskill list pdf --json
    has '"in_sync":false,"state":"excluded"'
    run 0 upskill sync status
    has "excluded" "left alone"
    run 0 upskill sync status --check
    run 1 upskill sync status pdf --check
    run 0 upskill daemon stop
  done
  run 0 upskill sync enable --exclude "pdf*" --yes
  rm -r "$c/pdf-new"
  run 0 upskill sync status --json
  lacks '"skill":"pdf-new","state":"in_sync"' "$c/pdf-new"
  run 0 upskill sync enable --exclude none --yes
  run 0 upskill sync status --json
  lacks '"excluded"' '"left_alone"'
}

test_the_folders_count_what_is_in_them() {
  enabled
  skill "$c" pdf
  skill "$c" docx
  run 0 upskill sync enable --exclude docx --yes
  run 0 upskill sync wait
  run 0 upskill sync status --json
  has '.claude/skills","scope":"user","state":"ok","agents":["claude-code","cursor"],"skills":2'
  run 0 upskill sync disable --yes
  rm -r "$c/docx" "$c/pdf"
  run 0 upskill sync status --json
  has '.claude/skills","scope":"user","state":"ok","agents":["claude-code","cursor"],"skills":0'
}

test_exclude_takes_only_what_can_match() {
  three_agents
  run 2 upskill sync enable --exclude nope:foo --yes
  err_has "\`--exclude\`: \`nope\` is no agent" "hint: "
  for rule in "" codex: :foo; do
    run 2 upskill sync enable --exclude "$rule" --yes
    err_has "\`--exclude\`: " "names no skill" "hint: "
  done
  run 0 upskill sync status --json
  has '"enabled":false'
  run 0 upskill sync enable --exclude "codex:foo" --exclude "*:bar" --yes
}

test_a_conflict_is_one_in_every_list() {
  edited_in_both
  run 0 upskill sync now --yes
  has "1 conflict waits for you"
  lacks "held"
  wait_idle
  run 0 upskill sync status
  has "conflict"
  run 0 upskill list
  has "conflict"
  lacks "in sync"
  run 0 upskill show pdf
  has "a conflict waits" "upskill sync conflicts pdf"
  run 2 upskill sync resolve pdf
  err_has "which version of \`pdf\` to take was not said" "hint: " "winner"
}

# conflicts_everywhere N: every place that counts conflicts says N.
conflicts_everywhere() {
  run 0 upskill status --json
  has "\"conflicts\":$1"
  run 0 upskill sync status --json
  has "\"conflicts\":$1"
  run 0 upskill sync conflicts --json
  [[ $(grep -o '"kind":"content"' <<<"$out" | wc -l) == "$1" ]] || fail "$out"
}

test_a_conflict_counts_as_long_as_it_is_listed() {
  edited_in_both
  run 0 upskill sync now --yes
  wait_idle
  conflicts_everywhere 1
  run 0 upskill sync disable --yes
  conflicts_everywhere 1
  run 0 upskill sync enable --yes
  mv "$c/pdf" "$c/docx"
  wait_idle
  run 0 upskill sync conflicts --json
  conflicts_everywhere "$(grep -o '"kind":"content"' <<<"$out" | wc -l)"
}

test_the_log_says_that_there_is_more() {
  enabled
  skill "$a" docx
  wait_idle
  run 0 upskill sync log -n 1
  has "older"
  run 0 upskill sync log -n 1 --json
  has '"more":true'
  run 0 upskill sync log
  lacks "older"
  run 2 upskill sync log -n 0
  err_has "\`--limit\` must be from 1 to 1000" "hint: "
}

test_a_halted_folder_is_told_once() {
  enabled
  run 0 upskill daemon stop
  rm -r "$a"
  run 0 upskill sync status
  has "halted" "\`~/.agents/skills\` vanished with its only skill"
  [[ $(grep -c vanished <<<"$out") == 1 ]] || fail "$out"
  lacks "$HOME/"
  run 0 upskill doctor
  [[ $(grep -c vanished <<<"$out") == 1 ]] || fail "$out"
}

test_an_edit_beside_a_halted_folder_tells_of_it_once_too() {
  enabled
  run 0 upskill daemon stop
  rm -r "$a"
  sed -i 's/Do it./Do it this way./' "$c/pdf/SKILL.md"
  run 0 upskill sync wait
  run 0 upskill sync status
  has "a copy of it cannot be looked at"
  [[ $(grep -c vanished <<<"$out") == 1 ]] || fail "$out"
  run 0 upskill doctor
  [[ $(grep -c vanished <<<"$out") == 1 ]] || fail "$out"
}

test_wait_tells_of_skills_with_problems() {
  enabled
  run 0 upskill sync wait
  has "Everything is seen and synced."
  skill "$a" Pdf "another case"
  run 0 upskill sync wait
  has "1 skill has problems: \`upskill sync status\`"
  lacks "seen and synced"
  run 0 upskill sync wait --json
  has '"problems":1'
  rm -r "$a/Pdf"
  run 0 upskill sync wait
  has "Everything is seen and synced."
}

test_wait_tells_of_conflicts() {
  edited_in_both
  run 0 upskill sync wait
  has "1 skill has problems"
  run 0 upskill sync resolve pdf winner --yes
  run 0 upskill sync wait
  has "Everything is seen and synced."
}

# steps: of the last command's JSON.
steps() {
  grep -o '"steps":\[[^]]*\]' <<<"$out"
}

test_a_plan_with_accept_is_what_is_done() {
  enabled
  skill "$c" docx
  wait_idle
  rm -r ~/.agents
  wait_idle
  run 0 upskill sync status --json
  has '"state":"halted"'
  run 0 upskill sync enable --dry-run --json
  has '"steps":[]'
  run 0 upskill sync enable --accept --dry-run --json
  has '"action":"create","skill":"docx"' '"action":"create","skill":"pdf"'
  local plan
  plan=$(steps)
  absent "$a"
  run 0 upskill sync status --json
  has '"state":"halted"'
  run 0 upskill sync enable --accept --yes --json
  [[ $(steps) == "$plan" ]] || fail "planned: $plan"$'\n'"done: $(steps)"
  same "$c" "$a"
}

test_a_plan_leaves_what_sync_knows_alone() {
  enabled
  skill "$c" Pdf "another case"
  wait_idle
  run 0 upskill sync enable --policy mirror --dry-run
  has "left out 1" "x Pdf: "
  run 0 upskill sync status
  has "are one name on some file systems"
}

test_the_plan_names_what_is_left_out() {
  three_agents
  skill "$c" pdf
  skill "$c" Pdf "another case"
  skill "$c" piped
  mkfifo "$c/piped/pipe"
  skill "$c" leaving
  ln -s /etc/passwd "$c/leaving/secrets"
  skill "$c" "nul"
  skill "$c" large
  truncate -s 2G "$c/large/data.bin"
  run 0 upskill sync enable --dry-run
  has "left out 5" "x piped: " "neither a file, a folder nor a link" "x leaving: " "leaves the skill"
  has "x nul: " "x large: " "x pdf: " "are one name on some file systems"
  lacks "x Pdf: "
  run 0 upskill sync enable --yes --json
  has '"left_out":[{"skill":"large","scope":"user","reason":"'
  absent "$a/large"
}

test_a_folder_that_was_refused_takes_part_again() {
  enabled
  mv "$a" "$a.away"
  echo "no folder" >"$a"
  wait_idle
  run 0 upskill sync status
  has "refused" "is not a folder"
  rm "$a"
  mv "$a.away" "$a"
  wait_idle
  run 0 upskill sync status --check
  echo "More." >>"$a/pdf/SKILL.md"
  wait_idle
  same "$a/pdf" "$c/pdf"
}

test_a_folder_that_led_elsewhere_takes_part_again() {
  enabled
  mv "$a" "$a.away"
  ln -s ~ "$a"
  wait_idle
  run 0 upskill sync status
  has "refused" "is no folder of skills"
  rm "$a"
  mv "$a.away" "$a"
  wait_idle
  run 0 upskill sync status
  lacks "refused"
  echo "More." >>"$a/pdf/SKILL.md"
  wait_idle
  same "$a/pdf" "$c/pdf"
}

test_a_look_finds_what_cannot_be_watched() {
  enabled
  run 0 upskill daemon stop
  # The link is further up, and leads to what is no place for skills.
  mv ~/.agents ~/.agents.away
  mkdir -p ~/elsewhere
  ln -s ~ ~/elsewhere/skills
  ln -s ~/elsewhere ~/.agents
  run 0 upskill sync status
  has "refused"
  rm ~/.agents
  mv ~/.agents.away ~/.agents
  run 0 upskill sync now --yes
  run 0 upskill sync status
  lacks "refused"
  echo "More." >>"$a/pdf/SKILL.md"
  wait_idle
  same "$a/pdf" "$c/pdf"
}

test_a_folder_that_comes_back_as_another_deletes_nothing() {
  enabled
  skill "$c" docx
  wait_idle
  mv "$a" "$a.away"
  echo "no folder" >"$a"
  wait_idle
  cp -r "$a.away" "$a.other"
  rm -r "$a.other/docx"
  rm "$a"
  mv "$a.other" "$a"
  wait_idle
  [[ -s $c/docx/SKILL.md ]] || fail "it was deleted"
  same "$c" "$a"
}

test_conflicts_show_what_is_there_now() {
  edited_in_both
  run 0 upskill sync now --yes
  wait_idle
  run 0 upskill sync conflicts
  lacks "edited since"
  echo "And a third way." >>"$a/pdf/SKILL.md"
  run 0 upskill sync conflicts --json
  has '"edited":true' '"before":"' 'third way'
  wait_idle
  run 0 upskill sync conflicts
  has "edited since it won; it was " "-And a third way."
  # What is shown names it.
  local shown
  shown=$(sed -n 's/^  winner  \([0-9a-f]*\) .*/\1/p' <<<"$out")
  run 0 upskill sync resolve pdf "$shown" --yes
  wait_idle
  grep -q "third way" "$c/pdf/SKILL.md" || fail "it is not what was shown"
  run 0 upskill sync conflicts
  has "no conflicts"
}

test_a_path_names_the_version_that_is_shown_there() {
  edited_in_both
  touch -d '1 hour ago' "$a/pdf/SKILL.md"
  run 0 upskill sync now --yes
  wait_idle
  echo "And a third way." >>"$a/pdf/SKILL.md"
  wait_idle
  run 0 upskill sync conflicts
  has "edited since it won"
  # Its loser came from there, and everything else that is shown is the winner's.
  run 0 upskill sync resolve pdf "$a/pdf" --yes
  wait_idle
  grep -q "this way" "$c/pdf/SKILL.md" || fail "it is not what was shown"
  same "$a" "$c"
}

test_a_link_that_is_taken_away_is_told_however_often_somebody_asks() {
  three_agents
  skill "$a" pdf
  run 0 upskill sync enable --link claude-code --yes
  wait_idle
  [[ -L $c/pdf ]] || fail "it is no link"
  rm "$c/pdf"
  run 0 upskill sync status
  run 0 upskill sync plan
  wait_idle
  run 0 upskill sync log --json
  has '"unlink"' "its link was deleted there"
  absent "$c/pdf"
}

test_list_says_who_is_left_out() {
  three_agents
  skill ~/.cursor/skills only_cursor
  skill "$c" pdf
  run 0 upskill sync enable --without cursor --yes
  wait_idle
  run 0 upskill list
  has pdf "left out of sync" cursor
  run 0 upskill list --json
  has '"left_out":["cursor"]'
}

test_list_knows_of_copies_that_are_out_of_sight() {
  enabled
  skill "$c" docx
  wait_idle
  mv ~/.agents away
  wait_idle
  run 0 upskill list --json
  has '"in_sync":false' '"state":"problem"'
  run 0 upskill list
  lacks "in sync"
  has problem
  run 0 upskill show pdf
  has "it has a problem"
  mv away ~/.agents
  wait_idle
  run 0 upskill list
  has "in sync"
}
