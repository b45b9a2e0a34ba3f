# upskill mcp: what an agent sees on its stdin and stdout.

initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
initialized='{"jsonrpc":"2.0","method":"notifications/initialized"}'
status='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{}}}'

# An agent's session over two fifos; its ends are descriptors 7 (to) and 8 (from).
open_session() {
  mkfifo to from
  upskill mcp <to >from 2>bridge_err &
  bridge=$!
  exec 7>to 8<from
}

say() {
  printf '%s\n' "$1" >&7
}

hear() {
  IFS= read -r -t 10 line <&8 || fail "no answer; stderr: $(cat bridge_err)"
}

close_session() {
  exec 7>&-
  code=0
  wait "$bridge" || code=$?
}

test_modern_call() {
  out=$(tool status '{}')
  has '"id":1' '"structuredContent":' '"resultType":"complete"'
}

test_legacy_session() {
  open_session
  say "$initialize"
  hear
  [[ $line == *'"protocolVersion":"2025-06-18"'* ]] || fail "$line"
  say "$initialized"
  say "$status"
  hear
  [[ $line == *'"id":1'*'"pid":'* ]] || fail "$line"
  close_session
  [[ $code == 0 ]] || fail "the bridge ended with $code"
}

test_input_from_a_file_and_output_to_one() {
  printf '%s\n%s\n%s\n' "$initialize" "$initialized" "$status" >in
  run 0 bash -c 'upskill mcp <in >answers'
  [[ $(wc -l <answers) == 2 ]] || fail "$(cat answers)"
}

test_no_input_at_all() {
  run 0 upskill mcp
  [[ -z $out ]] || fail "$out"
}

test_closed_stdin_is_an_error() {
  code=0
  upskill mcp <&- 2>err || code=$?
  [[ $code == 3 ]] || fail "ended with $code"
  grep -q "closed" err
}

test_bad_lines_get_errors_and_nothing_else() {
  open_session
  say 'garbage'
  hear
  [[ $line == *'-32700'* ]] || fail "$line"
  say "$initialize"
  hear
  [[ $line == *'"id":0'* ]] || fail "$line"
  close_session
}

test_it_goes_on_after_the_daemon_was_killed() {
  open_session
  say "$initialize"
  hear
  say "$initialized"
  pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  say "$status"
  hear
  [[ $line == *'"id":1'*'"pid":'* ]] || fail "$line"
  [[ $line != *"\"pid\":$pid"* ]] || fail "a dead daemon answered"
  close_session
  [[ $code == 0 ]] || fail "the bridge ended with $code"
}

test_it_goes_on_after_the_daemon_was_stopped() {
  open_session
  say "$initialize"
  hear
  say "$initialized"
  run 0 upskill daemon stop
  say "$status"
  hear
  [[ $line == *'"id":1'* ]] || fail "$line"
  close_session
}

test_a_stopped_daemon_stays_stopped_until_the_agent_speaks() {
  open_session
  say "$initialize"
  hear
  run 0 upskill daemon stop
  run 3 upskill daemon status
  close_session
  [[ $code == 0 ]] || fail "the bridge ended with $code"
  run 3 upskill daemon status
}

test_it_ends_on_sigterm() {
  open_session
  say "$initialize"
  hear
  kill -TERM "$bridge"
  code=0
  wait "$bridge" || code=$?
  [[ $code == 143 ]] || fail "the bridge ended with $code"
}

test_a_refused_run_folder_is_told_on_stderr() {
  mkdir -p ~/.local/state/upskill/run
  chmod 777 ~/.local/state/upskill/run
  run 3 upskill mcp
  err_has "open to other users"
  [[ -z $out ]] || fail "$out"
}

test_it_ends_when_its_answers_go_nowhere() {
  # A device is relayed to; this one takes nothing.
  mkfifo to
  upskill mcp <to >/dev/full &
  bridge=$!
  exec 7>to
  say "$initialize"
  code=0
  wait "$bridge" || code=$?
  [[ $code == 0 ]] || fail "the bridge ended with $code"
}
