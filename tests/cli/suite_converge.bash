# converge: whatever is done in any folder arrives in the others, also across kill -9.

roots=(~/.agents/skills ~/.claude/skills ~/.cursor/skills)

# enabled POLICY: three agents, sync on, nothing there yet.
enabled() {
  three_agents
  mkdir -p "${roots[@]}"
  run 0 upskill sync enable --policy "$1" --yes
}

names() {
  ls "$1" | tr '\n' ' '
}

kill_daemon() {
  local pid
  pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  # Its threads may go on ending for a moment, with the socket still open: the lock is free when it
  # has let go of everything.
  flock -w 5 ~/.local/state/upskill/run/daemon.lock true
}

test_cover_holds_what_decisions_say() {
  three_agents
  run 0 upskill sync enable --yes
  skill ~/.claude/skills one
  skill ~/.codex/skills two
  skill ~/.cursor/skills three
  wait_idle
  [[ $(names ~/.agents/skills) == "one three " ]] || fail "agents: $(names ~/.agents/skills)"
  [[ $(names ~/.claude/skills) == "one three two " ]] || fail "claude: $(names ~/.claude/skills)"
  [[ $(names ~/.cursor/skills) == "three " ]] || fail "cursor: $(names ~/.cursor/skills)"
  [[ $(names ~/.codex/skills) == "two " ]] || fail "codex: $(names ~/.codex/skills)"
}

test_mirror_holds_what_decisions_say() {
  enabled mirror
  skill ~/.claude/skills one
  skill ~/.agents/skills two
  skill ~/.cursor/skills three
  wait_idle
  for root in "${roots[@]}"; do
    [[ $(names "$root") == "one three two " ]] || fail "$root: $(names "$root")"
  done
}

test_a_name_as_long_as_a_file_system_takes() {
  enabled mirror
  local name root
  printf -v name '%0255d' 7
  skill "${roots[0]}" "$name"
  wait_idle
  echo edited >>"${roots[1]}/$name/SKILL.md"
  wait_idle
  for root in "${roots[@]}"; do
    same "${roots[1]}/$name" "$root/$name"
  done
}

test_write_edit_rename_delete_in_any_folder() {
  enabled mirror
  local i from to
  for i in 0 1 2; do
    skill "${roots[i]}" "s$i"
  done
  skill "${roots[0]}" stays
  wait_idle
  for i in 0 1 2; do
    from=${roots[i]} to=${roots[(i + 1) % 3]}
    same "$from/s$i" "$to/s$i"
    echo "edited" >>"$to/s$i/SKILL.md"
    mkdir "$to/s$i/scripts"
    printf '#!/bin/sh\n' >"$to/s$i/scripts/go"
    chmod +x "$to/s$i/scripts/go"
    wait_idle
    same "$from/s$i" "$to/s$i"
    [[ -x $from/s$i/scripts/go ]] || fail "the executable bit did not arrive"
    mv "$from/s$i" "$from/r$i"
    wait_idle
    absent "$to/s$i"
    same "$from/r$i" "$to/r$i"
    rm -r "$to/r$i"
    wait_idle
    absent "$from/r$i"
  done
  [[ -f ${roots[2]}/stays/SKILL.md ]] || fail "an untouched skill is gone"
}

test_lists_tell_the_truth_about_it() {
  enabled mirror
  skill "${roots[1]}" one
  wait_idle
  run 0 upskill list --json
  has '"skill":"one"' '"in_sync":true' '"total":1'
  run 0 upskill sync status --json
  has '"state":"idle"' '"state":"in_sync"' '"conflicts":0'
  run 0 upskill doctor --json
  has '"skill":"one"' '"agent":"claude-code"'
}

test_kill_at_any_moment_loses_nothing() {
  enabled mirror
  local i
  for i in {1..12}; do
    skill "${roots[i % 3]}" "s$i" "first $i"
    ((i > 2)) && echo "edit" >>"${roots[(i + 1) % 3]}/s$((i - 2))/SKILL.md"
    kill_daemon
    run 0 upskill sync now
  done
  wait_idle
  same "${roots[0]}" "${roots[1]}"
  same "${roots[0]}" "${roots[2]}"
  for i in {1..12}; do
    [[ -s ${roots[0]}/s$i/SKILL.md ]] || fail "s$i is gone"
  done
  run 0 upskill sync status --check
}

test_edits_in_two_places_while_no_daemon_runs() {
  enabled mirror
  skill "${roots[0]}" joined $'a\nb\nc\nd\ne'
  skill "${roots[0]}" fought base
  wait_idle
  run 0 upskill daemon stop
  sed -i 's/^a$/A/' "${roots[0]}/joined/SKILL.md"
  sed -i 's/^e$/E/' "${roots[1]}/joined/SKILL.md"
  sed -i 's/^base$/left/' "${roots[0]}/fought/SKILL.md"
  sed -i 's/^base$/right/' "${roots[1]}/fought/SKILL.md"
  wait_idle
  same "${roots[0]}" "${roots[1]}"
  grep -qx A "${roots[2]}/joined/SKILL.md" && grep -qx E "${roots[2]}/joined/SKILL.md" \
    || fail "the edits were not joined"
  run 0 upskill sync conflicts --json
  has '"skill":"fought"' 'left' 'right'
  run 0 upskill sync resolve fought loser --yes
  run 0 upskill sync conflicts --json
  lacks 'fought'
}

# project: three agents, sync on for ~/code/proj, with the skill `deploy` in two folders of it.
project() {
  three_agents
  skill ~/code/proj/.claude/skills deploy
  run 0 upskill sync enable --yes
  run 0 upskill sync enable --project ~/code/proj --yes
  same ~/code/proj/.claude/skills ~/code/proj/.agents/skills
}

# follows WORD: an edit in one folder of the project arrives in the other.
follows() {
  echo "$1" >>~/code/proj/.claude/skills/deploy/SKILL.md
  wait_idle
  grep -qx "$1" ~/code/proj/.agents/skills/deploy/SKILL.md || fail "$1 did not arrive"
  run 0 upskill sync status --check
}

test_a_project_that_was_away_is_watched_again() {
  project
  local folder
  for folder in ~/code/proj ~/code; do
    mv "$folder" "$folder.away"
    wait_idle
    run 0 upskill sync status
    has halted vanished
    mv "$folder.away" "$folder"
    follows "after $folder was away"
    follows "and once more"
  done
  mv ~/code/proj ~/code/proj.away
  mv ~/code/proj.away ~/code/proj
  follows "after a quick move"
  follows "and another edit"
}

test_a_project_that_is_made_anew_is_watched() {
  project
  cp -a ~/code/proj ~/backup
  local shell_in_it
  (cd ~/code/proj && exec sleep 60) & # which keeps the removed folder alive
  shell_in_it=$!
  rm -rf ~/code/proj
  wait_idle
  cp -a ~/backup ~/code/proj
  wait_idle # an edit of another folder than before would be a conflict
  follows "after the removal"
  follows "and once more"
  kill "$shell_in_it"
}
