# Starting, stopping and finding the daemon.

run_folder=~/.local/state/upskill/run

test_status_starts_it() {
  run 0 upskill status --json
  has '"pid":' '"sync":"off"' '"version":'
  [[ -S $run_folder/upskilld.sock ]] || fail "there is no socket"
  [[ $(stat -c %a "$run_folder") == 700 ]] || fail "others may enter $run_folder"
  [[ $(stat -c %a "$run_folder/upskilld.sock") == 600 ]] || fail "others may connect"
}

test_daemon_status_starts_nothing() {
  run 3 upskill daemon status
  err_has "not running" "hint: \`upskill daemon start\`"
  absent ~/.local/state/upskill
}

test_stop_starts_nothing() {
  run 0 upskill daemon stop
  has "not running"
  absent ~/.local/state/upskill
}

test_start_status_stop() {
  run 0 upskill daemon start
  pid=$(daemon_pid)
  run 0 upskill daemon start
  has "already"
  [[ $(daemon_pid) == "$pid" ]] || fail "it is another one"
  run 0 upskill daemon stop
  has "$pid"
  until_gone "$pid"
  run 3 upskill daemon status
}

test_stop_and_start_at_once() {
  run 0 upskill status
  run 0 upskill daemon stop
  run 0 upskill status
}

test_many_starters_share_one() {
  for i in 1 2 3 4 5 6 7 8; do
    upskill status --json >"out$i" &
    starters[i]=$!
  done
  for i in 1 2 3 4 5 6 7 8; do
    wait "${starters[i]}" || fail "starter $i failed"
  done
  [[ $(sed 's/.*"pid":\([0-9]*\).*/\1/' out* | sort -u | wc -l) == 1 ]] || fail "several daemons"
}

test_it_outlives_the_command_and_leaves_its_folder() {
  run 0 upskill daemon start
  pid=$(daemon_pid)
  [[ $(readlink "/proc/$pid/cwd") == / ]] || fail "it sits in $(readlink "/proc/$pid/cwd")"
  [[ $(ps -o sid= -p "$pid") -ne $(ps -o sid= -p $$) ]] || fail "it is in our session"
}

test_killed_daemon_is_replaced() {
  run 0 upskill daemon start
  pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  run 0 upskill status --json
  [[ $(daemon_pid) != "$pid" ]] || fail "a dead one answered"
}

test_open_run_folder_is_refused() {
  mkdir -p "$run_folder"
  chmod 755 "$run_folder"
  run 3 upskill status
  err_has "open to other users" "0700"
}

test_linked_run_folder_is_refused() {
  mkdir -p ~/elsewhere ~/.local/state/upskill
  chmod 700 ~/elsewhere
  ln -s ~/elsewhere "$run_folder"
  run 3 upskill status
  err_has "is a link"
}

test_state_folder_decides_which() {
  run 0 upskill daemon start
  run 3 env XDG_STATE_HOME="$HOME/other" upskill daemon status
  err_has "not running"
}

test_private_leaves_no_socket() {
  run 0 upskill status --private --json
  has '"pid":'
  absent "$run_folder/upskilld.sock"
  run 3 upskill daemon status
}

test_private_is_silent_where_all_is_well() {
  three_agents
  skill ~/.claude/skills one
  run 0 upskill sync enable --private --dry-run
  [[ -z $err ]] || fail "stderr holds: $err"
  XDG_STATE_HOME=$HOME/other run 0 upskill sync enable --private --yes
  [[ -z $err ]] || fail "stderr holds: $err"
  run 0 env CI=true upskill status --json
  [[ -z $err ]] || fail "stderr holds: $err"
}

test_ci_is_private() {
  run 0 env CI=true upskill status --json
  absent "$run_folder/upskilld.sock"
}

# is_empty FOLDER: what a daemon that is ending had there goes with it.
is_empty() {
  becomes_true holds_nothing "$1" || fail "$1 holds: $(ls -A "$1")"
}

holds_nothing() {
  [[ -z $(ls -A "$1") ]]
}

test_private_touches_no_state_and_no_folder() {
  three_agents
  mkdir tmp
  export TMPDIR=$PWD/tmp
  skill ~/.claude/skills one
  run 0 upskill sync enable --yes
  wait_idle
  run 0 upskill daemon stop
  echo edited >>~/.claude/skills/one/SKILL.md
  (cd ~ && find . -printf '%p %i %T@ %s\n' | sort) >before
  run 0 upskill list --private
  has one
  run 0 upskill sync status --private --json
  has '"enabled":false'
  run 0 env CI=true upskill doctor --json
  is_empty tmp
  (cd ~ && find . -printf '%p %i %T@ %s\n' | sort) | diff before - || fail "HOME was touched"
}

test_private_runs_beside_a_daemon() {
  three_agents
  run 0 upskill sync enable --yes
  run 0 upskill sync status --private --json
  has '"enabled":false'
  run 3 upskill sync disable --private --yes
  err_has 'forgets it' 'leave out `--private`'
  run 3 env CI=true upskill sync enable --yes
  err_has 'forgets it' 'unset CI'
  run 0 upskill sync status --json
  has '"enabled":true'
}

test_private_takes_the_state_it_is_told_of_and_only_alone() {
  three_agents
  skill ~/.claude/skills one
  export XDG_STATE_HOME=~/.local/state
  run 0 upskill sync enable --private --yes
  run 0 upskill sync status --private --json # however soon: the one before may be ending
  has '"enabled":true'
  [[ -s $XDG_STATE_HOME/upskill/sync.db ]] || fail "the state was not used"
  run 0 upskill daemon start
  run 3 upskill list --private
  err_has "a daemon runs on the state \`$XDG_STATE_HOME/upskill\`" 'upskill daemon stop'
  run 0 upskill daemon stop
  run 0 upskill list --private
}

test_logs_of_a_running_and_of_a_stopped_one() {
  run 0 upskill daemon start
  run 0 upskill daemon logs --json
  has '"lines":['
  run 0 upskill daemon stop
  run 0 upskill daemon logs --json
  has '"lines":[' 'upskilld.log'
}

test_no_daemon_program() {
  mkdir lonely
  cp "$(command -v upskill)" lonely/
  run 3 env PATH=/usr/bin:/bin lonely/upskill status
  err_has "upskilld" "hint: "
}

test_interrupted_call_ends_with_130() {
  run 0 upskill daemon start
  # Stopped, it answers nothing; continued again at the end.
  pid=$(daemon_pid)
  kill -STOP "$pid"
  trap 'kill -CONT "$pid"' EXIT
  code=0
  timeout --preserve-status -s INT 0.3 upskill list >/dev/null 2>&1 || code=$?
  [[ $code == 130 ]] || fail "ended with $code"
}

test_a_daemon_that_hangs_is_told_in_time() {
  run 0 upskill daemon start
  pid=$(daemon_pid)
  kill -STOP "$pid"
  trap 'kill -CONT "$pid"' EXIT
  # All at once: what is waited for here is the limits of the command itself.
  for words in status "sync now" "daemon status" "daemon stop"; do
    timeout 20 upskill $words >"out-${words// /-}" 2>"err-${words// /-}" </dev/null &
    callers+=($!)
  done
  timeout 8 upskill daemon stop 2>stop && fail "a frozen daemon was stopped"
  [[ $? == 3 || $(<stop) == *"(process $pid) gave no sign of life"*"hint: "*"kill -9 $pid"* ]] ||
    fail "$(<stop)"
  for caller in "${callers[@]}"; do
    code=0
    wait "$caller" || code=$?
    [[ $code == 3 ]] || fail "one ended with $code"
  done
  for err in err-*; do
    [[ $(<"$err") == *"(process $pid) gave no sign of life"*"hint: "* ]] || fail "$err: $(<"$err")"
  done
}

test_run_beside_another_says_so() {
  run 0 upskill daemon start
  run 3 upskill daemon run
  err_has "running already" "upskill daemon stop"
}

test_a_second_daemon_says_why_it_ends() {
  run 0 upskill daemon start
  run 0 upskilld
  err_has "is running already" "hint: \`upskill daemon stop\`"
}

test_json_of_start() {
  run 0 upskill daemon start --json
  has '"started":true'
  run 0 upskill daemon start --json
  [[ $out == "{\"pid\":$(daemon_pid),\"started\":false}" ]] || fail "$out"
}

test_json_of_run() {
  upskill daemon run --json >running 2>/dev/null &
  front=$!
  run 0 upskill status
  pid=$(daemon_pid)
  run 0 upskill daemon stop
  wait "$front" || true
  [[ $pid != "$front" || $(<running) == "{\"pid\":$front}" ]] || fail "$(<running)"
}

test_a_full_disk_is_told() {
  local words
  for words in "list --json" list "status --json" doctor "sync log" "sync now --json" \
    "daemon status" "daemon logs" "daemon start" "daemon stop --json" "daemon stop"; do
    run 3 sh -c "upskill $words >/dev/full"
    err_has "standard output" "No space left"
  done
  # Not one of the command's own sockets may take the place of what the caller closed.
  run 3 sh -c 'upskill list --json >&-'
  err_has "standard output"
}

test_run_stays_in_front() {
  upskill daemon run 2>running &
  front=$!
  becomes_true grep -q " serves " running || fail "it does not serve: $(cat running)"
  run 0 upskill status
  kill -0 "$front" || fail "it has left"
  kill -INT "$front"
  wait "$front" || fail "it ended with $?: $(cat running)"
}

test_run_beside_a_command_leaves_one_daemon() {
  upskill daemon run 2>running &
  front=$!
  # A command started at the same time waits for it, or wins and has a daemon of its own.
  run 0 upskill status
  winner=$(daemon_pid)
  [[ -n $winner ]] || fail "there is no daemon"
  if [[ $winner == "$front" ]]; then
    kill -INT "$front"
    wait "$front" || fail "it ended with $?: $(cat running)"
  else
    code=0
    wait "$front" || code=$?
    [[ $code == 0 || $code == 3 ]] || fail "it ended with $code: $(cat running)"
    grep -q "running already" running || fail "it did not say why it left: $(cat running)"
    run 0 upskill status
    [[ $(daemon_pid) == "$winner" ]] || fail "another daemon took its place"
  fi
}

test_logs_are_followed_across_a_restart() {
  run 0 upskill daemon start
  run 0 upskill daemon stop
  : >~/.local/state/upskill/upskilld.log
  mkfifo followed
  upskill daemon logs -f >followed &
  follower=$!
  exec 8<followed
  echo "first line" >>~/.local/state/upskill/upskilld.log
  IFS= read -r -t 10 line <&8
  [[ $line == "first line" ]] || fail "$line"
  rm ~/.local/state/upskill/upskilld.log
  echo "second line" >~/.local/state/upskill/upskilld.log
  IFS= read -r -t 10 line <&8
  [[ $line == "second line" ]] || fail "$line"
  kill -TERM "$follower"
  code=0
  wait "$follower" || code=$?
  [[ $code == 130 ]] || fail "it ended with $code"
}

test_following_ends_when_nobody_reads() {
  mkdir -p ~/.local/state/upskill
  echo one >~/.local/state/upskill/upskilld.log
  mkfifo followed
  timeout 20 upskill daemon logs -f >followed &
  follower=$!
  [[ $(head -n 1 <followed) == one ]] || fail "the first line did not come"
  echo two >>~/.local/state/upskill/upskilld.log
  wait "$follower" || fail "it ended with $?"
}

test_a_dead_daemons_address_and_token_go_with_the_next_start() {
  run 0 upskill daemon start --http 127.0.0.1:0
  [[ -f $run_folder/http.json ]] || fail "there is no description"
  pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  run 0 upskill daemon start
  absent "$run_folder/http.json"
}

test_status_says_where_it_serves_http() {
  run 0 upskill daemon start
  run 0 upskill daemon status
  lacks "HTTP"
  run 0 upskill daemon stop
  run 0 upskill daemon start --http 127.0.0.1:0
  run 0 upskill daemon status
  has "HTTP" "http://127.0.0.1:"
  run 0 upskill daemon status --json
  has "\"http\":$(sed 's/.*"url":\("[^"]*"\).*/\1/' "$run_folder/http.json")"
}
