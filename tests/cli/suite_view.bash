# view: `upskill watch`, which follows until it is ended: a picture in a window that tmux makes, lines
# elsewhere.

. "$(dirname "${BASH_SOURCE[0]}")/watch_world.bash"
. "$(dirname "${BASH_SOURCE[0]}")/window.bash"

# watch_in COLUMNS LINES [WORDS]: `upskill watch` in a window.
watch_in() {
  in_window "$1" "$2" "upskill watch ${3-}"
}

# answer_late: the models answer from now on so late that a test does not end.
answer_late() {
  kill "${server_pids[0]}"
  until_gone "${server_pids[0]}"
  serve --base 0.55 --skill 0.95 --marker MAGIC --requests asked --port "${server##*:}" --delay-ms 50000
}

test_a_verdict_comes_as_a_skill_is_saved() {
  watched auto --delay-ms 200
  accept
  watch_in 100 30
  shows "greet     OK" "it is the accepted version" "sync idle" "3 agents" "sync create"
  rewrite "Say some words." "$u"
  shows "greet     REGRESSED" "1 REGRESSED" "helps when read" "sync update" "testing"
  rewrite "Say MAGIC words." "$u"
  shows "greet     OK"
  keys q
  ended_with 0
}

test_the_terminal_is_restored_after_signals() {
  watched ask
  accept
  local signal
  for signal in TERM HUP INT; do
    rm -f code
    watch_in 80 24
    shows "greet     OK"
    kill -"$signal" "$(<pid)"
    ended_with 130
    in_tmux kill-server
  done
}

test_ctrl_c_ends_it() {
  three_agents
  watch_in 80 24
  shows "No skill is watched."
  keys C-c
  ended_with 130
}

test_ctrl_z_gives_the_terminal_back() {
  three_agents
  window 80 24 "bash --norc --noprofile"
  keys "PS1='ready> '" Enter
  shows "ready>"
  keys "upskill watch" Enter
  shows "No skill is watched."
  keys C-z
  shows "Stopped" "ready>"
  keys "fg" Enter
  shows "No skill is watched."
  keys q
  shows "ready> fg"
  keys "echo back with \$?" Enter
  shows "back with 0"
}

test_keys_run_and_cancel() {
  watched ask
  accept
  watch_in 100 30
  shows "greet     OK"
  rewrite "Say some words." "$u"
  shows "greet     waits" "r goes on"
  answer_late
  keys r
  shows "greet is being tested." "greet     testing"
  keys c
  shows "The test of greet has ended" "› greet     waits"
  keys c
  shows "No test of greet is under way."
  keys q
  ended_with 0
}

test_accepting_asks_first() {
  watched ask
  accept
  rewrite "Say some words." "$u"
  wait_idle
  local before=$(asked)
  export GENERIC_BASE_URL=$server/v1
  watch_in 100 30
  shows "greet     waits"
  keys a
  shows "Accept greet as it stands? 60 samples at most, y/n" "y yes  n no"
  keys n
  shows "Nothing was done."
  (($(asked) == before)) || fail "somebody was asked"
  keys a
  shows "Accept greet as it stands?"
  keys y
  shows "greet is accepted as it stands" "greet     OK"
  (($(asked) > before)) || fail "nobody was asked"
  keys q
  ended_with 0
}

test_undoing_asks_first() {
  watched ask
  accept
  rewrite "Say some words." "$u"
  wait_idle
  watch_in 100 30
  shows "greet     waits"
  keys u
  shows "Undo entry" "of greet (update"
  keys n
  shows "Nothing was done."
  grep -q "some words" "$c/greet/SKILL.md" "$a/greet/SKILL.md" || fail "it was undone"
  keys u
  shows "Undo entry"
  keys y
  shows "Undone:" "greet     OK"
  grep -q "MAGIC" "$u/greet/SKILL.md" || fail "it was not undone"
  keys q
  ended_with 0
}

test_the_window_may_change() {
  watched ask
  accept
  watch_in 100 30
  shows "WHAT CHANGED, AND WHY"
  in_tmux resize-window -x 40 -y 10
  becomes_true is_not_shown "WHAT CHANGED" || fail "$(<picture)"
  shows "greet     OK" "q quit"
  in_tmux resize-window -x 30 -y 8
  shows "too small: 40x10"
  in_tmux resize-window -x 120 -y 40
  shows "WHAT CHANGED, AND WHY"
  keys "?"
  shows "select a skill"
  keys x
  becomes_true is_not_shown "select a skill" || fail "$(<picture)"
  keys d
  becomes_true is_not_shown "mode ask" || fail "$(<picture)"
  keys q
  becomes_true test -s code || fail "it does not end"
}

test_colours_beside_words_or_none() {
  watched ask
  accept
  watch_in 80 24
  shows "greet     OK"
  in_tmux capture-pane -pe | grep -q $'\e\[[0-9;]*m' || fail "no colours"
  keys q
  ended_with 0
  in_tmux kill-server
  rm code
  export NO_COLOR=1
  watch_in 80 24
  shows "greet     OK"
  in_tmux capture-pane -pe | grep -q $'\e' && fail "colours: $(in_tmux capture-pane -pe)"
  keys q
  ended_with 0
}

test_a_daemon_that_goes_is_told_and_met_again() {
  watched auto
  accept
  watch_in 100 30
  shows "greet     OK"
  run 0 upskill daemon stop
  shows "The daemon has gone" "not connected"
  # Whoever has ended it does not want it back from us.
  keys r
  run 3 upskill daemon status
  err_has "not running"
  rewrite "Say some words." "$u"
  run 0 upskill daemon start
  shows "sync idle" "greet     REGRESSED"
  becomes_true is_not_shown "has gone" || fail "$(<picture)"
  kill -9 "$(daemon_pid)"
  shows "The daemon has gone"
  run 0 upskill daemon start
  shows "sync idle" "greet     REGRESSED"
  becomes_true is_not_shown "has gone" || fail "$(<picture)"
  keys q
  ended_with 0
}

# in_lines WORDS...: follows into `lines`; sets `follower`.
in_lines() {
  upskill watch "$@" >lines 2>errors &
  follower=$!
  server_pids+=("$follower")
}

told() { grep -q -- "$1" lines 2>/dev/null; }

test_lines_for_who_has_no_terminal() {
  watched auto
  accept
  in_lines
  becomes_true told "^[0-9:]\{8\} greet OK: it is the accepted version$" || fail "$(<lines)"
  rewrite "Say some words." "$u"
  becomes_true told "^[0-9:]\{8\} greet REGRESSED 9[0-9]% -> [0-9]*%, [0-9]* of [0-9]* samples: .*worse" ||
    fail "$(<lines)"
  grep -q $'\e' lines && fail "escape sequences: $(<lines)"
  run 0 upskill daemon stop
  becomes_true grep -q "the daemon has gone" errors || fail "$(<errors)"
  run 0 upskill daemon start
  becomes_true grep -q "the daemon is back" errors || fail "$(<errors)"
  rewrite "Say MAGIC words." "$u"
  becomes_true ends_with_ok || fail "$(<lines)"
  kill -TERM "$follower"
  local code=0
  wait "$follower" || code=$?
  ((code == 130)) || fail "ended with $code: $(<errors)"
}

ends_with_ok() { tail -n 1 lines | grep -q "greet OK"; }

test_json_for_programs() {
  watched auto
  accept
  in_lines --json greet
  becomes_true told '^{"generation":[0-9]*,"skill":"greet","state":"idle",.*"verdict":"OK"' || fail "$(<lines)"
  rewrite "Say some words." "$u"
  becomes_true told '"verdict":"REGRESSED"' || fail "$(<lines)"
  command -v python3 >/dev/null || return 0
  python3 -c 'import json; [json.loads(line)["generation"] for line in open("lines")]' || fail "no JSON: $(<lines)"
}

test_others_are_not_followed() {
  watched ask
  accept
  in_lines --json nobody
  upskill watch --lines >all 2>errors &
  server_pids+=("$!")
  becomes_true grep -q "greet OK" all
  rewrite "Say some words." "$u"
  becomes_true grep -q "greet waits" all
  [[ ! -s lines ]] || fail "$(<lines)"
}

test_it_ends_when_nobody_reads() {
  watched ask
  accept
  mkfifo pipe
  upskill watch >pipe 2>errors &
  local pid=$!
  head -n 1 <pipe >first
  grep -q "greet OK" first || fail "$(<first)"
  # Nothing more is written: that the pipe is closed is noticed all the same.
  becomes_true has_ended "$pid" || fail "it is still there"
  local code=0
  wait "$pid" || code=$?
  [[ $code == 0 && ! -s errors ]] || fail "ended with $code: $(<errors)"
}

test_what_it_does_not_do() {
  three_agents
  run 2 upskill watch --private
  err_has "--private"
  run 3 env CI=true upskill watch
  err_has "not running"
  run 0 upskill help watch
  has "upskill watch [SKILL...]" "--lines"
  run 0 upskill watch run --help
  has "Test a changed skill"
}
