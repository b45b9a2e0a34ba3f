# hostile: what is broken, too large or meant badly gets a clear word, and the rest goes on.

a=~/.agents/skills
c=~/.claude/skills

enabled() {
  three_agents
  mkdir -p "$a" "$c"
  skill "$c" good
  run 0 upskill sync enable --yes
  wait_idle
}

# goes_on: a sound skill still arrives.
goes_on() {
  skill "$c" another
  wait_idle
  same "$c/another" "$a/another"
}

# told TEXT...: sync status names the trouble.
told() {
  run 0 upskill sync status --json
  has "$@"
}

test_a_link_that_leaves_the_skill() {
  enabled
  skill "$c" bad
  ln -s /etc/passwd "$c/bad/secrets"
  wait_idle
  absent "$a/bad/secrets"
  told 'is a link that leaves the skill'
  goes_on
}

test_a_loop_of_links() {
  enabled
  ln -s loop "$c/loop"
  mkdir "$c/round" && ln -s ../round "$c/round/round"
  wait_idle
  absent "$a/loop"
  goes_on
}

test_a_pipe_inside_a_skill() {
  enabled
  skill "$c" piped
  mkfifo "$c/piped/pipe"
  wait_idle
  told 'is neither a file, a folder nor a link'
  goes_on
}

test_a_half_written_skill_waits() {
  enabled
  : >"$c/good/SKILL.md"
  wait_idle
  [[ -s $a/good/SKILL.md ]] || fail "an empty SKILL.md was spread"
  told 'has no SKILL.md, or an empty one'
  goes_on
  skill "$c" good "whole again"
  wait_idle
  same "$c/good" "$a/good"
}

test_a_thousand_files_and_a_large_one() {
  enabled
  skill "$c" large
  mkdir "$c/large/many"
  (cd "$c/large/many" && touch file{1..1000})
  head -c 20000000 /dev/urandom >"$c/large/data.bin"
  wait_idle
  same "$c/large" "$a/large"
}

test_names_that_collide() {
  enabled
  skill "$c" Good "another case"
  wait_idle
  absent "$a/Good"
  told 'are one name on some file systems'
  goes_on
}

test_a_read_only_root() {
  [[ $(id -u) != 0 ]] || skip "root may write everywhere"
  enabled
  chmod a-w "$a"
  skill "$c" late
  wait_idle
  chmod u+w "$a"
  told 'late'
  run 0 upskill sync now
  same "$c/late" "$a/late"
}

test_no_space_left() {
  mount -t tmpfs -o size=200k none "$(mkdir -p ~/.agents && echo ~/.agents)" 2>/dev/null \
    || skip "a small file system cannot be mounted here"
  trap 'umount ~/.agents' EXIT
  enabled
  # Moved in whole: without its data it would fit.
  skill . big
  head -c 400000 /dev/zero >big/data
  mv big "$c/big"
  wait_idle
  absent "$a/big"
  told 'No space left'
  goes_on
  rm "$c/big/data"
  wait_idle
  same "$c/big" "$a/big"
  run 0 upskill daemon stop
}

test_a_damaged_database() {
  enabled
  run 0 upskill daemon stop
  echo "edited meanwhile" >>"$a/good/SKILL.md"
  head -c 20000 /dev/urandom >~/.local/state/upskill/sync.db
  rm -f ~/.local/state/upskill/sync.db-*
  run 0 upskill status
  has "damaged"
  ls ~/.local/state/upskill | grep -q 'sync.db.corrupt' || fail "it was not put aside"
  [[ -s $a/good/SKILL.md && -s $c/good/SKILL.md ]] || fail "a skill is gone"
}

test_a_database_damaged_behind_its_header() {
  enabled
  run 0 upskill daemon stop
  echo "edited meanwhile" >>"$a/good/SKILL.md"
  local db=~/.local/state/upskill/sync.db
  head -c $(($(stat -c %s "$db") - 4096)) /dev/urandom | dd of="$db" bs=4096 seek=1 conv=notrunc 2>/dev/null
  run 0 upskill status
  has "damaged"
  ls ~/.local/state/upskill | grep -q 'sync.db.corrupt' || fail "it was not put aside"
  goes_on
}

test_settings_that_are_no_json() {
  enabled
  run 0 upskill daemon stop
  printf '{\n  "enabled" true\n}\n' >~/.local/share/upskill/sync.json
  run 0 upskill status
  has 'sync.json` is not valid JSON at line 2, column 16' 'run `upskill sync enable` again'
  lacks 'json.exception' 'parse_error'
}

test_a_database_of_a_newer_version() {
  enabled
  run 0 upskill daemon stop
  # user_version is the big-endian number at byte 60 (SQLite file format, 1.3).
  printf '\0\0\3\350' | dd of="$HOME/.local/state/upskill/sync.db" bs=1 seek=60 conv=notrunc 2>/dev/null
  rm -f ~/.local/state/upskill/sync.db-*
  cp ~/.local/state/upskill/sync.db before
  run 3 upskill sync status
  has "Sync is on, but stopped" "of version 1000" "hint: "
  lacks "Sync is off" "sync enable"
  run 3 upskill sync status --json
  has '"enabled":true' '"state":"stopped"' '"reason":"' 'of version 1000' '"hint":"' '.claude/skills"'
  run 1 upskill sync status --check
  run 0 upskill status
  has "sync is on, but stopped" "of version 1000" "hint: "
  lacks "sync is off" "sync enable"
  run 0 upskill status --json
  has '"sync":"stopped"' '"reason":"' 'of version 1000' '"hint":"'
  run 0 upskill doctor
  has "sync is on, but stopped" "of version 1000"
  lacks "sync is off"
  [[ $(grep -c "of version 1000" <<<"$out") == 1 ]] || fail "$out"
  run 1 upskill doctor --check
  run 0 upskill list
  has good "sync is on, but stopped" "of version 1000" "upskill daemon stop"
  lacks "in sync"
  run 0 upskill list --json
  has '"warnings":["sync is on, but stopped'
  run 3 upskill sync wait
  err_has "sync is on, but stopped" "of version 1000" "hint: "
  for command in now plan; do
    run 3 upskill sync "$command" --yes
    err_has "sync is on, but stopped" "of version 1000" "upskill daemon stop"
  done
  run 3 upskill sync enable --exclude codex:pdf --yes
  err_has "of version 1000" "the settings are saved"
  grep -q codex:pdf ~/.local/share/upskill/sync.json || fail "the settings were not saved"
  run 0 upskill sync disable --yes
  run 0 upskill sync status
  has "Sync is off"
  run 0 upskill status
  has "sync is off"
  cmp before ~/.local/state/upskill/sync.db || fail "it was touched"
}

test_a_database_that_cannot_be_opened() {
  enabled
  run 0 upskill daemon stop
  rm -f ~/.local/state/upskill/sync.db*
  mkdir ~/.local/state/upskill/sync.db
  run 0 upskill status
  has "sync is on, but stopped" "cannot use database" "hint: " "upskill daemon stop"
  run 0 upskill daemon stop
  rmdir ~/.local/state/upskill/sync.db
  goes_on
  run 0 upskill status
  has "sync is on"
  lacks "stopped"
}

test_a_database_that_cannot_be_opened_for_a_moment() {
  enabled
  run 0 upskill daemon stop
  mv ~/.local/state/upskill/sync.db kept
  rm -f ~/.local/state/upskill/sync.db-*
  mkdir ~/.local/state/upskill/sync.db
  run 3 upskill sync now --yes
  err_has "sync is on, but stopped"
  rmdir ~/.local/state/upskill/sync.db
  mv kept ~/.local/state/upskill/sync.db
  # Nobody need ask: the daemon tries again by itself.
  is_on() { upskill status --json | grep -q '"sync":"idle"'; }
  becomes_true is_on || fail "$(upskill status)"
  goes_on
}

test_a_database_that_another_process_holds() {
  command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
  enabled
  run 0 upskill daemon stop
  coproc sqlite3 ~/.local/state/upskill/sync.db
  echo "BEGIN IMMEDIATE; SELECT 'held';" >&"${COPROC[1]}"
  read -r -u "${COPROC[0]}" held
  run 3 upskill sync now --yes
  err_has "sync is on, but stopped" "another process holds it"
  echo "ROLLBACK; SELECT 'free';" >&"${COPROC[1]}"
  read -r -u "${COPROC[0]}" held
  echo "edited meanwhile" >>"$a/good/SKILL.md"
  run 0 upskill sync now --yes
  wait_idle
  same "$a" "$c"
}

test_a_root_that_vanishes_takes_nobody_with_it() {
  enabled
  skill "$c" second
  wait_idle
  mv "$a" "$a.away"
  wait_idle
  [[ -s $c/good/SKILL.md && -s $c/second/SKILL.md ]] || fail "the others were deleted"
  run 0 upskill sync status --json
  has '"state":"halted"' 'vanished'
  mv "$a.away" "$a"
  wait_idle
  run 0 upskill sync status --check
}

test_mass_deletion_is_held() {
  enabled
  for i in {1..8}; do skill "$c" "s$i"; done
  wait_idle
  rm -r "$c"/s{1..6}
  wait_idle
  [[ -s $a/s1/SKILL.md ]] || fail "it was carried out"
  run 0 upskill sync conflicts --json
  has '"kind":"deletion"' '"skill":"s3"'
  run 0 upskill sync resolve s1 delete --yes
  absent "$a/s1"
  run 0 upskill sync resolve s2 restore --yes
  same "$a/s2" "$c/s2"
}
