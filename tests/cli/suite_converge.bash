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
  cd ~/code/proj || exit 1
  timeout 60 tail -f /dev/null & # which keeps the removed folder alive
  shell_in_it=$!
  cd - >/dev/null || exit 1
  rm -rf ~/code/proj
  wait_idle
  cp -a ~/backup ~/code/proj
  wait_idle # an edit of another folder than before would be a conflict
  follows "after the removal"
  follows "and once more"
  kill "$shell_in_it"
}

# linked: two agents, of which one reads a link to the folder of the other.
linked() {
  mkdir -p ~/.claude ~/.codex ~/.agents ~/other
  skill ~/.claude/skills a
  ln -s "$1" ~/.agents/skills
  run 0 upskill sync enable --yes
  wait_idle
}

# apart: there are two folders now, and what is written to one arrives in the other.
apart() {
  wait_idle
  run 0 upskill sync status --json
  has '"path":"'"$HOME/.agents/skills"'"' '"path":"'"$HOME/.claude/skills"'"'
  same ~/.claude/skills ~/.agents/skills
  skill ~/.agents/skills from_there
  wait_idle
  same ~/.claude/skills ~/.agents/skills
}

test_a_linked_folder_whose_link_is_replaced() {
  linked ../.claude/skills
  rm ~/.agents/skills
  mkdir ~/.agents/skills
  cp -r ~/.claude/skills/a ~/.agents/skills/
  echo edit >>~/.agents/skills/a/SKILL.md
  apart
}

test_a_linked_folder_whose_link_is_removed() {
  linked ../.claude/skills
  rm ~/.agents/skills
  apart
}

test_a_link_that_is_taken_away_for_a_moment() {
  linked ../other
  local i
  for i in {1..5}; do
    rm ~/.agents/skills
    upskill sync status >/dev/null # which has seen that
    ln -s ../other ~/.agents/skills || fail "something was put in its place"
    wait_idle
    [[ -L ~/.agents/skills ]] || fail "the link is no link"
  done
  absent ~/other/other
  run 0 upskill sync status --check
}

test_a_link_to_a_folder_that_leads_elsewhere_now() {
  linked ../other
  ln -sfn ../.claude/skills ~/.agents/skills
  wait_idle
  run 0 upskill sync status --json
  lacks "$HOME/other"
  has '"path":"'"$HOME/.claude/skills"'"' "$HOME/.agents/skills"
}

test_a_link_further_up_that_leads_elsewhere_now() {
  mkdir -p ~/.claude ~/.codex ~/one/skills ~/two/skills
  ln -s one ~/between
  ln -s between ~/.agents
  skill ~/.claude/skills a
  run 0 upskill sync enable --yes
  wait_idle
  same ~/.claude/skills ~/one/skills
  ln -sfn two ~/between
  wait_idle
  same ~/.claude/skills ~/two/skills
  rm ~/.agents
  mkdir ~/.agents
  apart
  [[ -s ~/one/skills/a/SKILL.md && -s ~/two/skills/a/SKILL.md ]] || fail "what was left is gone"
}

# takes_part AGENT: whether it is in sync.
takes_part() {
  run 0 upskill sync status
  [[ $(grep '; agents ' <<<"$out") == *"$1"* ]]
}

test_an_agent_that_is_removed_takes_part_no_more() {
  three_agents
  mkdir -p ~/.codeium/windsurf
  skill ~/.claude/skills one
  run 0 upskill sync enable --policy mirror --yes
  wait_idle
  takes_part windsurf || fail "windsurf is not there"
  rm -rf ~/.codeium ~/.codex
  wait_idle
  takes_part windsurf && fail "windsurf takes part still"
  takes_part codex && fail "codex takes part still"
  run 0 upskill agents
  lacks windsurf
  [[ -s ~/.claude/skills/one/SKILL.md && -s ~/.agents/skills/one/SKILL.md ]] || fail "it was deleted"
  skill ~/.claude/skills two
  wait_idle
  absent ~/.codeium
  absent ~/.codex
  same ~/.claude/skills ~/.cursor/skills
}

test_an_agent_whose_folder_is_replaced_loses_nothing() {
  three_agents
  mkdir -p ~/.codeium/windsurf
  for name in one two three four five; do skill ~/.claude/skills "$name"; done
  run 0 upskill sync enable --policy mirror --yes
  wait_idle
  cp -r ~/.claude/skills ~/expected
  local agent
  for agent in ~/.codeium/windsurf ~/.claude; do
    mv "$agent" "$agent.away"
    wait_idle
    mv "$agent.away" "$agent"
    wait_idle
    same ~/expected ~/.claude/skills
    cp -r "$agent" "$agent.new"
    rm -rf "$agent"
    mkdir "$agent"
    wait_idle
    rm -rf "$agent"
    mv "$agent.new" "$agent"
    wait_idle
    same ~/expected ~/.claude/skills
    same ~/expected ~/.cursor/skills
    same ~/expected ~/.codeium/windsurf/skills
  done
  echo edit >>~/.codeium/windsurf/skills/one/SKILL.md
  wait_idle
  same ~/.codeium/windsurf/skills ~/.claude/skills
  run 0 upskill sync status --check
}
