# hook: what a coding agent runs at every step of a session must never disturb it.

spool=~/.local/state/upskill/spool
events=$spool/events.log
fixtures=$(dirname "${BASH_SOURCE[0]}")/../fixtures/hooks

# hook CODE FILE WORDS...: `run`, with a file on stdin.
hook() {
  local wanted=$1 input=$2 code=0
  shift 2
  upskill hook "$@" <"$input" >"$CASE_FOLDER/out" 2>"$CASE_FOLDER/err" || code=$?
  out=$(<"$CASE_FOLDER/out") err=$(<"$CASE_FOLDER/err")
  [[ $code == "$wanted" ]] || fail "hook $*: ended with $code, not $wanted: $err"
}

# answers TEXT FILE WORDS...: it goes well and prints just that.
answers() {
  local wanted=$1
  shift
  hook 0 "$@"
  [[ $out == "$wanted" ]] || fail "$*: printed $out, not $wanted"
  [[ -z $err ]] || fail "$*: complained: $err"
}

# recorded TEXT...: the spool holds each of them; never_recorded: none.
recorded() {
  local text
  for text in "$@"; do
    grep -aqF -- "$text" "$events" || fail "the spool lacks: $text"
  done
}

never_recorded() {
  local text
  for text in "$@"; do
    ! grep -aqF -- "$text" "$events" || fail "the spool holds: $text"
  done
}

no_daemon() {
  absent ~/.local/state/upskill/run
}

test_claude_code() {
  answers '' "$fixtures/claude_post_tool_use.json" PostToolUse
  answers '' "$fixtures/claude_subagent_stop.json" SubagentStop
  recorded claude-code PostToolUse 3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50.jsonl /home/ada/engine \
    agent-a81b2c3.jsonl
  no_daemon
}

test_codex() {
  answers '' "$fixtures/codex_post_tool_use.json" PostToolUse
  recorded codex PostToolUse rollout-2026-11-20T10-00-00
  no_daemon
}

test_codex_notify_is_an_argument() {
  run 0 upskill hook notify "$(<"$fixtures/codex_notify.json")"
  [[ -z $out$err ]] || fail "printed: $out$err"
  recorded codex agent-turn-complete 019a8c1e-77aa-7d20-b0a2-9c6d2f1e0001
  never_recorded 'Run the tests' 'All 12 pass'
}

test_cursor() {
  answers '{}' "$fixtures/cursor_session_start.json" sessionStart
  answers '{}' "$fixtures/cursor_after_file_edit.json" afterFileEdit
  answers '{"permission":"allow"}' "$fixtures/cursor_before_shell_execution.json" \
    beforeShellExecution
  recorded cursor /home/ada/engine 98187bc5-1111-4222-8333-944455556666
  never_recorded ada@example.org 'git status'
}

test_cursor_gets_its_answer_when_it_says_nothing() {
  : >empty
  answers '{"permission":"allow"}' empty preToolUse --agent cursor
  answers '{"continue":true}' empty beforeSubmitPrompt --agent=cursor
  export CURSOR_VERSION=3.18.9
  answers '{"permission":"allow"}' empty preToolUse
}

test_gemini_cli() {
  answers '{}' "$fixtures/gemini_after_tool.json" AfterTool
  recorded gemini-cli AfterTool /home/ada/.gemini/tmp/engine/chats/
  no_daemon
}

test_copilot_cli() {
  answers '' "$fixtures/copilot_pre_tool_use.json" preToolUse
  answers '' "$fixtures/copilot_agent_stop.json" agentStop
  recorded github-copilot preToolUse agentStop /home/ada/.copilot/session-state/
}

# post TARGET TOKEN FILE: what a hook tells, over HTTP; the answer is in $out.
post() {
  local described connection
  described=$(<~/.local/state/upskill/run/http.json)
  [[ $described =~ 127.0.0.1:([0-9]+) ]] || fail "no port: $described"
  exec {connection}<>"/dev/tcp/127.0.0.1/${BASH_REMATCH[1]}"
  {
    printf 'POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n' "$1" "$2"
    printf 'Connection: close\r\nContent-Type: application/json\r\n'
    printf 'Content-Length: %s\r\n\r\n' "$(stat -c %s "$3")"
    cat "$3"
  } >&"$connection"
  out=$(cat <&"$connection")
  exec {connection}>&-
}

test_over_http() {
  three_agents
  run 0 upskill daemon start --http 127.0.0.1:0
  local token
  token=$(<~/.local/state/upskill/http.token)
  post /hook "$token" "$fixtures/claude_post_tool_use.json"
  has 'HTTP/1.1 200 OK' $'\r\n\r\n{}'
  post /hook/agentStop "$token" "$fixtures/copilot_agent_stop.json"
  has 'HTTP/1.1 200 OK'
  post /hook "not-$token" "$fixtures/claude_post_tool_use.json"
  has 'HTTP/1.1 401'
  run 0 upskill trace capture --json
  has '"hook_events":2'
  absent "$events"
}

test_nothing_that_was_said_or_done_is_kept() {
  local file
  for file in "$fixtures"/*.json; do
    hook 0 "$file" E
  done
  never_recorded 'make test' '12 passed' 'int y' sk-never-to-be-kept 'Run the tests' not-this-one
}

test_the_spool_is_its_owners_alone() {
  umask 0
  answers '' "$fixtures/claude_post_tool_use.json" PostToolUse
  [[ $(stat -c %a "$spool" "$events") == $'700\n600' ]] || fail "modes: $(stat -c %a "$spool"/.)"
}

test_a_state_folder_that_was_named() {
  export XDG_STATE_HOME=$PWD/state
  answers '' "$fixtures/claude_post_tool_use.json" PostToolUse
  absent ~/.local
  [[ -s state/upskill/spool/events.log ]] || fail "nothing was recorded"
}

test_input_that_is_broken_or_large() {
  head -c 10000000 /dev/zero | tr '\0' x >large
  { printf '{"session_id":"kept-id","tool_response":"'; cat large; printf '"}'; } >large_event
  head -c 100000 /dev/urandom >noise
  head -c 1000000 /dev/zero | tr '\0' '[' >deep
  printf '{"session_id":"cut-id","cwd":"/a' >cut
  : >empty
  local file
  for file in large large_event noise deep cut empty; do
    answers '' "$file" PostToolUse
  done
  recorded kept-id cut-id
}

test_large_input_is_read_to_its_end() {
  set -o pipefail
  head -c 10000000 /dev/zero | upskill hook PostToolUse || fail "the writer was cut off"
}

test_an_input_that_never_ends() {
  mkfifo pipe
  exec 8<>pipe
  printf '{"session_id":"open-end"}\n' >&8
  timeout 20 upskill hook Stop <pipe || fail "it waited for the end, or failed"
  recorded open-end
}

test_closed_descriptors() {
  upskill hook Stop <&- || fail "stdin"
  upskill hook Stop --agent cursor >&- <"$fixtures/cursor_session_start.json" || fail "stdout"
  upskill hook Stop 2>&- <"$fixtures/cursor_session_start.json" >/dev/null || fail "stderr"
  upskill hook Stop --agent cursor <&- >&- 2>&- || fail "all"
  never_recorded '{}'
  recorded cursor
}

test_nobody_reads_the_answer() {
  set -o pipefail
  mkfifo pipe
  exec 8<>pipe 9>pipe
  exec 8>&-
  # No reader is left: writing raises SIGPIPE.
  upskill hook stop --agent cursor <"$fixtures/cursor_session_start.json" >&9 || fail "ended with $?"
  recorded sessionStart
}

test_a_home_that_cannot_be_written() {
  mkdir -p ~/.local
  : >~/.local/state
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'upskill hook: '
  hook 0 "$fixtures/cursor_session_start.json" sessionStart
  [[ $out == '{}' ]] || fail "Cursor got no answer: $out"
}

test_a_home_that_may_not_be_written() {
  [[ $(id -u) != 0 ]] || skip "root may write everywhere"
  chmod 500 ~
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  chmod 700 ~
  err_has 'upskill hook: cannot make folder'
}

test_no_home_at_all() {
  unset HOME
  upskill hook Stop <"$fixtures/claude_post_tool_use.json" 2>err || fail "ended with $?"
  grep -q 'HOME' err || fail "no word about it: $(<err)"
}

test_a_spool_that_is_a_link() {
  mkdir -p ~/.local/state/upskill elsewhere
  ln -s "$PWD/elsewhere" "$spool"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'is not a folder'
  [[ -z $(ls elsewhere) ]] || fail "it wrote through the link"
}

test_a_segment_that_is_a_link_or_a_pipe() {
  mkdir -p -m 700 "$spool"
  ln -s "$PWD/elsewhere" "$events"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'of the spool'
  absent elsewhere
  rm "$events"
  mkfifo "$events"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'of the spool'
}

test_a_segment_that_lies_elsewhere_too() {
  answers '' "$fixtures/claude_post_tool_use.json" PostToolUse
  ln "$events" elsewhere
  local before
  before=$(stat -c %s elsewhere)
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'is not a file of this user'
  [[ $(stat -c %s elsewhere) == "$before" ]] || fail "it wrote to it"
}

test_a_spool_that_others_may_write() {
  mkdir -p -m 777 "$spool"
  chmod 777 "$spool"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has "is not this user's alone"
  absent "$events"
}

test_a_full_spool_counts_what_it_drops() {
  mkdir -p -m 700 "$spool"
  truncate -s 31M "$events"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse
  err_has 'the spool is full'
  [[ $(stat -c %s "$spool/dropped") == 2 ]] || fail "counted: $(stat -c %s "$spool/dropped")"
  [[ $(stat -c %s "$events") == $((31 << 20)) ]] || fail "it grew"
}

test_a_limit_on_file_sizes() {
  (ulimit -f 0 && hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse)
}

test_words_that_are_wrong_stop_no_agent() {
  hook 0 "$fixtures/claude_post_tool_use.json"
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse --quiet more
  err_has '`--quiet` means nothing here'
  hook 0 "$fixtures/claude_post_tool_use.json" PostToolUse --agent 'Claude Code'
  [[ $(grep -aoF PostToolUse "$events" | wc -l) == 3 ]] || fail "not all were recorded"
  run 0 upskill --no-color hook Stop
}

test_words_that_are_wrong_are_told_to_a_person() {
  command -v script >/dev/null || skip "there is no script(1) to make a terminal"
  run 2 script -qec 'upskill hook' /dev/null
  has event
  run 2 script -qec 'upskill hook Stop --quiet' /dev/null
  has quiet
  absent "$spool"
}

test_help() {
  run 0 upskill hook --help
  has 'upskill hook EVENT' '--agent'
  run 0 upskill help
  has hook
  absent "$spool"
}

test_many_at_once() {
  local i
  for i in {1..20}; do
    for _ in {1..10}; do
      printf '{"hook_event_name":"Stop","session_id":"id-%s"}' "$i" | upskill hook Stop
    done &
  done
  wait
  for i in {1..20}; do
    # A name ends where the next record begins, with a byte of no text.
    [[ $(LC_ALL=C grep -aoP "id-$i(?=\xff|$)" "$events" | wc -l) == 10 ]] || fail "id-$i"
  done
}
