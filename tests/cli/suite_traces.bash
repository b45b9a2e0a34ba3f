# trace: sessions of agents are kept, found, told, forgotten, and followed while they grow.

fixtures=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures" && pwd)
traces=$fixtures/traces
key=AKIA7QZMX4T2WLKD5PVB # in the fixtures of Claude Code, Codex, Copilot CLI and Gemini CLI
token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U
claude=3f1c9a52-8f0e-4a57-9d0a-1d2b7c3e4f50
codex=0198f3a2-5c1e-7d60-9b4f-2e6a1c8d7f30
gemini=7d3f1b52-90ac-4e8b-b6d4-c15a2f80e937
claude_file=~/.claude/projects/-home-ada-kernels/$claude.jsonl
codex_file=~/.codex/sessions/2026/07/01/rollout-2026-07-01T10-00-00-$codex.jsonl
gemini_file=~/.gemini/tmp/kernels/chats/session-2026-07-02T09-30-7d3f1b52.jsonl
store=~/.local # all that upskill writes

# put FIXTURE PATH: a session where its agent keeps it.
put() {
  mkdir -p "$(dirname "$2")"
  cp "$traces/$1" "$2"
}

three_sessions() {
  put claude.jsonl "$claude_file"
  put codex.jsonl "$codex_file"
  put gemini.jsonl "$gemini_file"
}

kept_sessions() {
  three_sessions
  run 0 upskill trace import
}

# prompt TEXT [SESSION]: a line that Claude Code writes when somebody types.
prompt() {
  printf '{"type":"user","uuid":"%s","sessionId":"%s","cwd":"/home/ada/kernels","timestamp":"2026-07-05T11:00:00.000Z","message":{"role":"user","content":"%s"}}\n' \
    "$RANDOM-$RANDOM" "${2-$claude}" "$1"
}

# member NAME: the first member of the last answer with that name, a number or text without quotes.
member() {
  [[ $out =~ \"$1\":\"?([^\",}]*) ]] || fail "no member $1: $out"
  printf '%s\n' "${BASH_REMATCH[1]}"
}

# counts IMPORTED UPDATED UNCHANGED FAILED: what the last import says, with --json.
counts() {
  [[ "$(member imported) $(member updated) $(member unchanged) $(member failed)" == "$*" ]] ||
    fail "not $*: $out"
}

# tells ID TEXT: whether the session is kept, and says that.
tells() {
  upskill trace show "$1" --json --limit 1000 2>/dev/null | grep -qF -- "$2"
}

is_kept() {
  upskill trace show "$1" --json >/dev/null 2>&1
}

keeps_one_of() {
  upskill trace list --agent "$1" --json | grep -q '"total":1}'
}

# json: stdout of the last command is a JSON document; json_lines: each of its lines is one.
json() {
  command -v python3 >/dev/null || return 0
  python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out" || fail "no JSON: $out"
}

json_lines() {
  command -v python3 >/dev/null || return 0
  python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <<<"$out" ||
    fail "not JSON on each line: $out"
}

# Nothing below a folder holds it, compressed or not.
nowhere_in() {
  local file
  ! grep -raqF -- "$2" "$1" || fail "$2 is in $(grep -ralF -- "$2" "$1")"
  command -v zstdcat >/dev/null || return 0
  while read -r file; do
    [[ $(head -c 4 "$file" | od -An -tx1 | tr -d ' ') == 28b52ffd ]] || continue
    ! zstdcat "$file" | grep -aqF -- "$2" || fail "$2 is in $file"
  done < <(find "$1" -type f)
}

test_import_of_three_agents_then_nothing_new() {
  three_sessions
  run 0 upskill trace import --dry-run --json
  counts 3 0 0 0
  has '"dry_run":true'
  run 0 upskill trace list
  has 'No sessions are kept' 'upskill trace import'
  run 0 upskill trace import
  has claude-code codex gemini-cli '3 sessions imported' 'secrets removed'
  run 0 upskill trace import --json
  counts 0 0 3 0
  prompt 'One more thing.' >>"$claude_file"
  run 0 upskill trace import --json
  counts 0 1 2 0
  tells "$claude" 'One more thing.' || fail "what was added is not told"
}

test_import_changes_no_file_of_an_agent() {
  three_sessions
  cp -a ~/.claude ~/.codex ~/.gemini .
  run 0 upskill trace import
  same ~/.claude .claude
  same ~/.codex .codex
  same ~/.gemini .gemini
}

test_every_known_form_by_its_path() {
  local file
  for file in "$traces"/*; do
    run 0 upskill trace import "$file" --json
    counts 1 0 0 0
    run 0 upskill trace show "$file" --limit 2
  done
  run 0 upskill trace list --json
  has "\"total\":$(ls "$traces" | wc -l)" '"claude-code"' '"codex"' '"cursor"' '"fast-agent"' \
    '"gemini-cli"' '"github-copilot"' '"opencode"' '"pi"'
}

test_a_folder_of_sessions_and_other_things() {
  mkdir -p some/below
  cp "$traces/pi.jsonl" some/below/a
  cp "$traces/specstory.md" some/trace.md
  printf '# Notes\n' >some/notes.md
  run 0 upskill trace import some
  has '2 sessions imported' some/notes.md
  run 0 upskill trace list --agent claude-code # SpecStory calls it `Claude Code`
  has 'The build'
}

test_a_copy_is_told_by_its_own_path() {
  put codex.jsonl "$codex_file"
  run 0 upskill trace import
  head -n 5 "$codex_file" >copy.jsonl
  run 0 upskill trace import copy.jsonl --json
  has "\"path\":\"$PWD/copy.jsonl\"" "kept from \`$codex_file\`"
}

test_an_export_takes_nothing_from_what_an_agent_wrote() {
  put claude.jsonl "$claude_file"
  run 0 upskill trace import
  run 0 upskill trace export "$claude" --format atif -o one.atif
  rm "$claude_file"
  run 0 upskill trace import one.atif
  has 'kept as its agent wrote it'
  run 0 upskill trace export "$claude" --format markdown -o one.md
  run 0 upskill trace import one.md
  has 'kept as its agent wrote it'
  run 0 upskill trace list --json
  has '"total":1' '"format":"claude"'
}

test_what_is_captured_is_followed_as_it_says() {
  three_sessions
  run 0 upskill trace capture on --json
  [[ $(grep -o '"watched":true' <<<"$out" | wc -l) == 3 ]] || fail "not followed: $out"
  lacks 'not followed'
}

test_an_agent_that_tells_nothing_is_known_by_its_folder() {
  local now
  now=$(date -u -d '1 minute' +%FT%T.000Z) # something happens in it once the agent runs
  mkdir project beside
  printf '{"type":"%s","data":%s,"id":"%s","timestamp":"%s","parentId":null}\n' \
    session.start "{\"sessionId\":\"s1\",\"version\":1,\"producer\":\"copilot-agent\",\"context\":{\"cwd\":\"$PWD/project\"}}" \
    u1 "$now" user.message '{"content":"Paint the zeppelin"}' u2 "$now" >session.jsonl
  run 0 upskill trace import session.jsonl
  printf '%s\n' \
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"quiet","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"trace_read","arguments":{}}}' >in
  # The agent's command is the name by which it is known.
  run 0 bash -c 'cd project; upskill mcp <../in; true' copilot
  has 'Paint the zeppelin'
  run 0 bash -c 'cd beside; upskill mcp <../in; true' copilot
  lacks zeppelin
  has 'not kept'
  run 0 bash -c 'cd project; upskill mcp <../in; true' gemini
  lacks zeppelin
  has 'not kept'
}

test_rules_that_change_hold_while_nothing_is_captured() {
  prompt 'Paint the zeppelin' >session.jsonl
  run 0 upskill trace import session.jsonl
  run 0 upskill trace search paint --json
  has zeppelin
  mkdir -p ~/.config/upskill
  printf '{"format":1,"rules":[{"id":"airship","regex":"zeppelin","keywords":["zeppelin"],"confidence":"definite"}]}' \
    >~/.config/upskill/redaction.json
  run 0 upskill trace search paint --json
  lacks zeppelin
  scanned() { upskill trace search paint --json | grep -q 'REDACTED:airship'; }
  becomes_true scanned || fail "it is not scanned again"
}

test_import_of_some() {
  three_sessions
  run 0 upskill trace import --agent codex --json
  counts 1 0 0 0
  touch -d 2020-01-01 "$gemini_file"
  run 0 upskill trace import --since 7d --json
  counts 1 0 1 0
  run 2 upskill trace import --since sometimes
  err_has '`sometimes`' 'hint:'
  run 3 upskill trace import --agent nobody
  err_has '`nobody`'
  run 0 upskill trace import --force --json
  counts 1 2 0 0
}

test_list_narrows() {
  kept_sessions
  run 0 upskill trace list
  has 3f1c9a52 0198f3a2 7d3f1b52 'Quantize the' approved 2026-07-05
  run 0 upskill trace list --agent codex
  has 0198f3a2
  lacks 3f1c9a52 7d3f1b52
  run 0 upskill trace list --tool Bash
  has 3f1c9a52
  lacks 0198f3a2 7d3f1b52
  run 0 upskill trace list --skill cuda-kernels
  has 3f1c9a52
  lacks 0198f3a2 7d3f1b52
  run 0 upskill trace list --outcome approved
  has 3f1c9a52
  lacks 0198f3a2
  run 0 upskill trace list --since 2026-07-02 --until 2026-07-03
  has 7d3f1b52
  lacks 3f1c9a52 0198f3a2
  run 0 upskill trace list --project /home/ada/kern
  has 'No session matches'
  run 0 upskill trace list --project /home/ada
  has 3f1c9a52 0198f3a2
}

test_list_goes_on_with_a_cursor() {
  kept_sessions
  local seen='' cursor=() i
  for i in 1 2 3; do
    run 0 upskill trace list --limit 1 "${cursor[@]}" --json
    json
    seen+="$(member id) "
    [[ $i == 3 ]] || cursor=(--cursor "$(member next_cursor)")
  done
  lacks next_cursor
  [[ $seen == "$claude $gemini $codex " ]] || fail "not the newest first: $seen"
  run 2 upskill trace list --cursor nothing
  err_has '--cursor'
}

test_ids_that_begin_alike_are_shown_as_far_as_they_differ() {
  mkdir some
  local other=${codex/0198f3a2-5c1e/0198f3a2-5d1e}
  cp "$traces/codex.jsonl" some/one
  sed "s/$codex/$other/g" "$traces/codex.jsonl" >some/two
  run 0 upskill trace import some --json
  counts 2 0 0 0
  run 2 upskill trace show 0198f3a2
  err_has "$codex" "$other"
  run 0 upskill trace list
  has 0198f3a2-5c '0198f3a2-5d'
  run 0 upskill trace show 0198f3a2-5d
  has "$other"
}

test_search_by_words() {
  kept_sessions
  run 0 upskill trace search attention
  has 3f1c9a52 int8
  lacks 0198f3a2
  run 0 upskill trace search 'tests kernel'
  has 3f1c9a52
  run 0 upskill trace search 'attention tiled'
  has 'Nothing was found'
  run 0 upskill trace search '"attention kernel"'
  has 3f1c9a52
  run 0 upskill trace search '"kernel attention"'
  has 'Nothing was found'
  run 0 upskill trace search 'quanti*'
  has 3f1c9a52
  run 0 upskill trace search 'tests -attention'
  has 0198f3a2 7d3f1b52
  lacks 3f1c9a52
  run 0 upskill trace search tests --agent gemini-cli --json
  json
  has "$gemini" '"snippet"'
  lacks "$codex"
}

test_search_takes_any_words() {
  kept_sessions
  local words
  for words in '"open' '***' 'a OR b' 'NEAR(' '(' "'" '%' 'col:umn' $'\xff'; do
    run 0 upskill trace search "$words"
  done
  run 0 upskill trace search "$key"
  has 'Nothing was found'
  for words in '' ' ' '-kernel'; do
    run 2 upskill trace search -- "$words"
    err_has 'no word to look for' 'trace list'
  done
}

test_an_agent_that_is_not_there_is_named_with_those_that_are() {
  kept_sessions
  run 0 upskill trace list --agent claude
  has 'No session matches' '`claude`' '`claude-code`' '`codex`' '`gemini-cli`'
  run 0 upskill trace search kernel --agent claude
  has '`claude-code`'
  run 0 upskill trace list --agent codex --since 2030-01-01
  lacks 'there are of'
}

test_status_tells_whose_sessions_are_captured() {
  three_sessions
  run 0 upskill status
  has 'upskill trace capture on'
  run 0 upskill trace capture on --agent codex
  says_of_codex() { [[ $(upskill status) == *'captured of codex'* ]]; }
  becomes_true says_of_codex || fail "status: $(upskill status)"
}

test_show_tells_what_happened() {
  kept_sessions
  run 0 upskill trace show 3f1c
  has "$claude" claude-sonnet-4-5 '/home/ada/kernels on tiled-matmul' cuda-kernels approved \
    'No, we never use make here' 'make -C build' 'No such file or directory' '[REDACTED:'
  lacks "$key" $'\e'
  run 0 upskill trace show 0198
  lacks 'Keep headers small'
  run 0 upskill trace show 0198 --all
  has 'Keep headers small'
}

test_show_goes_on_where_it_ended() {
  run 0 upskill trace show "$traces/claude.jsonl" --limit 2 --json
  json
  local next
  next=$(member next_offset)
  run 0 upskill trace show "$traces/claude.jsonl" --limit 2
  # The session itself is not kept: only the file can be gone on with.
  [[ $(tr -s ' \n' ' ' <<<"$out") == *"upskill trace show $traces/claude.jsonl --offset $next"* ]] ||
    fail "it cannot be gone on: $out"
  run 0 upskill trace show "$traces/claude.jsonl" --offset "$next" --json --limit 1000
  lacks 'I will read the skill first' next_offset
  has 'Thanks, that works.'
}

test_a_session_of_a_helper_has_the_name_that_is_listed() {
  three_sessions
  mkdir -p "${claude_file%.jsonl}/subagents"
  sed 's/"isSidechain":false/"isSidechain":true,"agentId":"a81b2c3"/; s/Quantize/Look at/' \
    "$claude_file" >"${claude_file%.jsonl}/subagents/agent-a81b2c3.jsonl"
  run 0 upskill trace import
  run 0 upskill trace list
  has /a81b2c3
  for name in /a81b2c3 a81b 3f1c9a52/a81b2c3; do
    run 0 upskill trace show "$name"
    has 'Look at the attention kernel'
  done
  run 0 upskill trace purge 3f1c9a52/a81b2c3 --yes
  run 0 upskill trace list
  has 3f1c9a52
  lacks a81b2c3
}

test_a_session_is_forgotten_with_its_helpers() {
  three_sessions
  mkdir -p "${claude_file%.jsonl}/subagents"
  sed 's/"isSidechain":false/"isSidechain":true,"agentId":"a81b2c3"/; s/Quantize/Look at/' \
    "$claude_file" >"${claude_file%.jsonl}/subagents/agent-a81b2c3.jsonl"
  run 0 upskill trace import
  run 0 upskill trace purge 3f1c9a52 --dry-run
  has a81b2c3 '2 sessions'
  run 0 upskill trace purge 3f1c9a52 a81b2c3 --yes
  has '2 sessions'
  run 0 upskill trace list
  lacks a81b2c3 3f1c9a52
  has 7d3f1b52
}

test_distill_gives_the_evidence_and_says_what_is_left_out() {
  kept_sessions
  run 0 upskill trace distill 3f1c
  has 'person | Quantize the attention kernel' 'No, we never use make here' 'evidence, never'
  lacks "$key"
  err_has 'kept' 'left out' 'tokens'
  run 0 upskill trace distill "$traces/pi.jsonl" -o evidence.md
  grep -q 'person |' evidence.md
  [[ $(stat -c %a evidence.md) == 600 ]] || fail "others may read it"
  run 0 upskill trace distill 3f1c 0198
  has "$claude" "$codex"
  run 0 upskill trace distill 3f1c nobody
  has "$claude"
  err_has '`nobody`'
  run 3 upskill trace distill nobody
}

test_distill_keeps_to_its_budget() {
  local i
  for i in {1..300}; do
    prompt "Number $i: look at part $i of the kernel, and say what it does."
  done >long.jsonl
  run 0 upskill trace distill long.jsonl --tokens 1000 --json
  json
  (($(member tokens) <= 1000)) || fail "more than 1000 tokens: $(member tokens)"
  has 'left out' 'Number 300:' # the newest first
  (($(member left_out) > 0)) || fail "nothing is counted"
  run 2 upskill trace distill long.jsonl --tokens 200
  err_has --tokens
}

test_distill_gives_the_same_every_time() {
  kept_sessions
  run 0 upskill trace distill 3f1c 0198 7d3f
  local before=$out
  run 0 upskill daemon stop
  run 0 upskill trace distill 3f1c 0198 7d3f
  [[ $out == "$before" ]] || fail "another text"
}

test_export_for_other_programs() {
  kept_sessions
  run 0 upskill trace export 3f1c -o -
  has '"type":"session"'
  run 0 upskill trace export 3f1c
  json_lines
  has '{"type":"session"' '"harness":"claude-code"' '[REDACTED:'
  lacks "$key"
  run 0 upskill trace export 3f1c --format atif
  json
  has '"ATIF-v1.7"' "$claude"
  lacks "$key"
  run 0 upskill trace export 3f1c --format markdown -o session.md
  grep -q 'Quantize the attention kernel' session.md
  ! grep -q "$key" session.md || fail "the secret is in it"
  run 2 upskill trace export 3f1c --format html
  err_has 'sts, atif, markdown'
  run 3 upskill trace export 3f1c -o missing/folder/file
  [[ $(ls) == session.md ]] || fail "something was left: $(ls)"
}

test_an_export_with_remarks_is_still_json() {
  three_sessions
  prompt "Use $token for it." >>"$claude_file"
  run 0 upskill trace import
  run 0 upskill trace export 3f1c
  json_lines
  err_has 'warning:' json-web-token
}

test_an_export_can_be_imported() {
  kept_sessions
  run 0 upskill trace export 3f1c -o session.jsonl
  run 0 upskill trace export 3f1c --format atif -o session.json
  run 0 upskill trace purge --all --yes
  local file
  for file in session.jsonl session.json; do
    run 0 upskill trace import "$file" --json
    counts 1 0 0 0
    run 0 upskill trace show "$file"
    has 'Quantize the attention kernel' 'No, we never use make here'
    run 0 upskill trace purge --all --yes
  done
}

test_an_export_to_markdown_is_known_in_a_folder() {
  mkdir exports
  run 0 upskill trace export "$traces/claude.jsonl" --format markdown -o exports/session.markdown
  run 0 upskill trace import exports --json
  counts 1 0 0 0
  run 0 upskill trace show 3f1c
  has 'Quantize the attention kernel' '3 prompts, 4 calls, 1 error'
}

test_secrets_are_nowhere_on_the_disk() {
  three_sessions
  cp "$traces/copilot.jsonl" .
  run 0 upskill trace import
  run 0 upskill trace import copilot.jsonl
  upskill trace search tests >/dev/null
  nowhere_in "$store" "$key"
  run 0 upskill daemon stop
  nowhere_in "$store" "$key"
  command -v zstdcat >/dev/null || return 0
  find "$store" -name '*.zst' -exec zstdcat {} + | grep -aq AWS_REGION ||
    fail "what stands beside it is not kept"
}

test_raw_keeps_them_and_lets_none_out() {
  three_sessions
  run 0 upskill trace import --raw
  run 0 upskill trace list --json
  has '"raw":true'
  for words in 'show 3f1c --all' 'export 3f1c' 'distill 3f1c' 'search attention'; do
    run 0 upskill trace $words
    lacks "$key"
  done
  out=$(tool trace_read "{\"id\":\"$claude\"}")
  has 'Quantize'
  lacks "$key"
  [[ -z $(find "$store" -type f -perm /077) ]] || fail "others may read what is kept"
}

test_outputs_go_where_they_are_said() {
  kept_sessions
  mkfifo pipe
  : >real.md
  ln -s real.md link.md
  local name
  for name in export distill; do
    run 2 upskill trace $name 3f1c -o pipe
    err_has 'is no file'
    [[ -p pipe ]] || fail "the pipe is gone"
    run 0 upskill trace $name 3f1c -o link.md
    [[ -L link.md && -s real.md ]] || fail "the link is gone"
    run 0 upskill trace $name 3f1c -o -
    has Quantize
    absent ./-
  done
}

test_limits_that_mean_nothing_are_refused() {
  kept_sessions
  run 2 upskill trace capture status --days 9223372036854775807
  err_has 36500
  run 2 upskill trace capture status --megabytes 9223372036854775807
  run 0 upskill trace capture status --days 36500
  run 0 upskill trace list --json
  has '"total":3'
}

test_a_file_lets_no_secret_out_wherever_it_stands() {
  prompt 'Build it' | sed "s|/home/ada/kernels|/home/ada/$key|; s|\"uuid\"|\"gitBranch\":\"$key\",&|" >some.jsonl
  printf '{"type":"assistant","uuid":"a1","sessionId":"%s","message":{"role":"assistant","model":"%s","content":[{"type":"tool_use","id":"t1","name":"run %s","input":{"%s":1}}]}}\n' \
    "$claude" "$key" "$key" "$key" >>some.jsonl
  for words in 'show ./some.jsonl --all' 'show ./some.jsonl --json' 'distill ./some.jsonl' \
    'export ./some.jsonl' 'export ./some.jsonl --format atif' 'export ./some.jsonl --format markdown'; do
    run 0 upskill trace $words
    lacks "$key"
    has REDACTED
  done
}

test_purge_forgets() {
  kept_sessions
  run 2 upskill trace purge --yes
  err_has '--all'
  run 2 upskill trace purge 3f1c # nobody can be asked
  err_has '--yes'
  run 0 upskill trace purge 3f1c --dry-run
  has "$claude" 'would be forgotten'
  is_kept "$claude" || fail "it is gone"
  run 0 upskill trace purge 3f1c --yes
  run 3 upskill trace show 3f1c
  nowhere_in "$store" 'Quantize the attention'
  [[ -s $claude_file ]] || fail "the agent's file is gone"
  run 0 upskill trace import --json
  counts 0 0 2 0 # it stays away
  run 0 upskill trace import "$claude_file" --json
  counts 1 0 0 0 # unless it is named
  run 0 upskill trace purge --before 2026-07-02 --yes
  has "$codex" '1 session'
  run 0 upskill trace purge --agent gemini-cli --yes
  run 0 upskill trace list --json
  has '"total":1}' "$claude"
  run 2 upskill trace purge 3f1c --all --yes
  run 3 upskill trace purge 3f1c nobody --yes
  is_kept "$claude" || fail "half of it was done"
  run 0 upskill trace purge --all --yes
  run 0 upskill trace list
  has 'No sessions are kept'
}

test_purge_takes_what_was_set_aside() {
  kept_sessions
  local first
  first=$(head -n 2 "$claude_file")
  { prompt 'Something else'; printf '%s\n' "$first"; } >"$claude_file"
  run 0 upskill trace import
  run 0 upskill trace list --agent claude-code --json
  has '"total":2'
  run 0 upskill trace purge "$claude" --yes
  has '2 sessions'
  run 0 upskill trace list --agent claude-code --json
  has '"total":0'
}

test_purge_asks_on_a_terminal() {
  command -v script >/dev/null || skip "there is no script(1) to make a terminal"
  kept_sessions
  printf 'n\n' | script -qec 'upskill trace purge --all' /dev/null >said
  grep -q '3 sessions' said
  is_kept "$claude" || fail "it was not asked"
  printf 'y\n' | script -qec 'upskill trace purge --all' /dev/null >said
  run 0 upskill trace list
  has 'No sessions are kept'
}

test_a_session_that_grows_is_followed() {
  three_sessions
  run 0 upskill trace capture
  has 'Capture is off'
  run 0 upskill trace capture on
  has 'on ' 'every agent' followed
  becomes_true is_kept "$claude" || fail "what lies there is not kept"
  prompt 'The first line that comes.' >>"$claude_file"
  becomes_true tells "$claude" 'The first line that comes.' || fail "it is not followed"
  prompt 'The second, ' | head -c 100 >>"$claude_file"
  prompt 'The second, ' | tail -c +101 >>"$claude_file"
  prompt 'The third.' >>"$claude_file"
  becomes_true tells "$claude" 'The third.' || fail "half a line ends it"
  local new=11111111-2222-4333-8444-555555555555
  mkdir -p ~/.claude/projects/-home-ada-new
  prompt 'A new project.' "$new" >~/.claude/projects/-home-ada-new/$new.jsonl
  becomes_true tells "$new" 'A new project.' || fail "a new folder is not followed"
  run 0 upskill trace capture off
  prompt 'After the end.' >>"$claude_file"
  run 0 upskill trace capture status --json
  lacks '"watched":true'
  ! tells "$claude" 'After the end.' || fail "it is still followed"
}

test_what_is_followed_survives_a_killed_daemon() {
  three_sessions
  run 0 upskill trace capture on
  becomes_true is_kept "$claude" || fail "it is not kept"
  local pid
  pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  prompt 'While nobody looked.' >>"$claude_file"
  becomes_true tells "$claude" 'While nobody looked.' || fail "it was missed"
}

test_capture_of_one_agent_or_folder() {
  three_sessions
  sed -i 's,/home/ada/kernels,/home/ada/other,g' "$gemini_file"
  run 3 upskill trace capture on --agent nobody
  err_has '`nobody`' '`claude-code`'
  run 0 upskill trace capture on --agent codex
  becomes_true is_kept "$codex" || fail "it is not kept"
  run 0 upskill trace capture on --folder /home/ada/kernels
  becomes_true is_kept "$claude" || fail "the folder's session is not kept"
  ! is_kept "$gemini" || fail "what ran elsewhere is captured"
  run 0 upskill trace capture off --agent codex
  run 0 upskill trace capture --json
  json
  has '{"agent":"codex","on":false}' '{"folder":"/home/ada/kernels","on":true}'
  run 2 upskill trace capture on --days -1
}

# hook_names AGENT FIXTURE SESSION PATH EVENT: a hook names a session where no watch looks, because a
# folder on its way is a link; that makes the daemon read it.
hook_names() {
  local agent=$1 said=$2 session=$3 path=$4 event=$5
  mkdir -p "elsewhere/$agent" "$(dirname "$(dirname "$path")")"
  ln -s "$PWD/elsewhere/$agent" "$(dirname "$path")"
  cp "$traces/$session" "$path"
  sed "s,/home/ada/\.,$HOME/.,g" "$fixtures/hooks/$said" |
    upskill hook "$event" --agent "$agent" >/dev/null
  becomes_true keeps_one_of "$agent" || fail "$agent: its hook was not heard"
}

test_hooks_of_five_agents_ring() {
  mkdir -p ~/.claude/projects ~/.codex/sessions ~/.cursor/projects ~/.gemini/tmp ~/.copilot/session-state
  run 0 upskill trace capture on
  hook_names claude-code claude_post_tool_use.json claude.jsonl \
    ~/.claude/projects/-home-ada-engine/$claude.jsonl PostToolUse
  hook_names codex codex_post_tool_use.json codex.jsonl \
    ~/.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-019a8c1e-77aa-7d20-b0a2-9c6d2f1e0001.jsonl \
    PostToolUse
  local cursor=98187bc5-1111-4222-8333-944455556666
  hook_names cursor cursor_after_file_edit.json cursor.jsonl \
    ~/.cursor/projects/home-ada-engine/agent-transcripts/$cursor/$cursor.jsonl afterFileEdit
  hook_names gemini-cli gemini_after_tool.json gemini.jsonl \
    ~/.gemini/tmp/engine/chats/session-2026-11-20T10-00-7d7f3b9e.jsonl AfterTool
  hook_names github-copilot copilot_agent_stop.json copilot.jsonl \
    ~/.copilot/session-state/c0ffee00-1234-4abc-8def-000011112222/events.jsonl agentStop
  run 0 upskill trace capture --json
  (($(member hook_events) >= 5)) || fail "heard: $(member hook_events)"
}

test_a_hook_cannot_name_any_file() {
  mkdir -p ~/.claude/projects
  run 0 upskill trace capture on
  cp "$traces/claude.jsonl" ~/private.jsonl
  printf '{"session_id":"x","transcript_path":"%s","cwd":"/","hook_event_name":"Stop"}' \
    ~/private.jsonl ~/.claude/projects/../../private.jsonl >said
  upskill hook Stop <said
  # The next one is heard after it.
  hook_names claude-code claude_post_tool_use.json claude.jsonl \
    ~/.claude/projects/-home-ada-engine/$claude.jsonl PostToolUse
  run 0 upskill trace list --json
  lacks private.jsonl
}

test_a_secret_over_two_messages_is_taken_out_of_evidence_too() {
  cat >split.jsonl <<'END'
{"type":"session","harness":"codex","id":"abc","name":"x"}
{"type": "message", "message": {"role": "user", "content": "key ghp_Zk3mQ9xT7vB2nL5w"}}
{"type": "message", "message": {"role": "user", "content": "R8cY1dF4hJ6pS0aG3eUi go"}}
END
  for words in 'show ./split.jsonl --all' 'distill ./split.jsonl' 'export ./split.jsonl'; do
    run 0 upskill trace $words
    lacks Zk3mQ9xT7vB2nL5w R8cY1dF4hJ6pS0aG3eUi
    has REDACTED
  done
}

test_what_may_be_a_secret_waits_for_a_word() {
  three_sessions
  prompt "Use $token for it." >>"$claude_file"
  run 0 upskill trace import --json
  has '"flagged":["json-web-token"]'
  out=$(tool trace_read "{\"id\":\"$claude\"}")
  has '"isError":true' 'upskill trace allow' json-web-token
  lacks "${token:0:12}"
  run 0 upskill trace allow 3f1c
  has allowed json-web-token
  out=$(tool trace_read "{\"id\":\"$claude\"}")
  has 'Quantize the attention' "$token"
  run 0 upskill trace allow 3f1c --revoke
  has blocked
  out=$(tool trace_read "{\"id\":\"$claude\"}")
  has '"isError":true'
  for revoke in '' --revoke; do
    run 3 upskill trace allow 3f1c no-such-rule $revoke
    err_has no-such-rule json-web-token
  done
}

test_no_list_gives_an_agent_what_may_be_a_secret() {
  mkdir -p "$(dirname "$claude_file")"
  { prompt "Use $token for it."; prompt 'Quantize the kernel.'; } >"$claude_file"
  run 0 upskill trace import
  for words in 'trace_list {}' 'trace_search {"query":"quantize"}'; do
    out=$(tool ${words%% *} "${words#* }")
    has "$claude" json-web-token
    lacks "${token:0:12}" "${token: -12}"
  done
  run 0 upskill trace allow 3f1c
  out=$(tool trace_search '{"query":"quantize"}')
  has "${token:0:12}"
}

test_agents_may_read_and_nothing_else() {
  kept_sessions
  local meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  printf '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{%s}}\n' "$meta" | upskill mcp >tools
  out=$(<tools)
  has '"trace_list"' '"trace_search"' '"trace_read"'
  local name
  for name in show import export distill allow purge capture; do
    ! grep -q "\"trace_$name\"" tools || fail "agents see trace_$name"
    out=$(tool trace_$name '{"id":"3f1c","ids":["3f1c"],"sources":["3f1c"]}')
    has '"error":'
    lacks Quantize
  done
  is_kept "$claude" || fail "an agent forgot it"
  out=$(tool trace_list '{"agent":"codex"}')
  has "$codex"
  lacks "$claude" "$HOME"
  out=$(tool trace_read '{}')
  has '"isError":true' 'trace_list'
}

test_one_bad_file_says_so_and_the_rest_goes_on() {
  mkdir some
  cp "$traces/pi.jsonl" some/good.jsonl
  head -c 5000 /dev/urandom >some/noise
  : >some/empty.jsonl
  head -c 200 "$traces/pi.jsonl" >some/cut.jsonl
  printf '\x28\xb5\x2f\xfd garbage' >some/broken.jsonl.zst
  { printf 'SQLite format 3\0'; head -c 200 /dev/zero; } >some/half.db
  mkfifo some/pipe
  run 3 upskill trace import some
  has '1 session imported' 'some/broken.jsonl.zst' 'broken zstd frame' 'some/half.db' \
    'some/empty.jsonl' 'it is empty'
  run 0 upskill trace show some/good.jsonl
}

test_what_is_no_text_is_no_session_anywhere() {
  head -c 3000 /bin/true >exe.jsonl
  : >empty
  for way in show distill export; do
    run 3 upskill trace $way ./exe.jsonl
    err_has 'exe.jsonl` is no session: it is no text'
    run 3 upskill trace $way ./empty
    err_has 'empty` is no session: it is empty'
  done
}

test_a_named_file_that_is_none_fails() {
  local name
  head -c 5000 /dev/urandom >noise
  : >empty
  run 0 upskill trace import noise empty
  has 'it is no text' 'it is empty' '0 sessions imported'
  run 3 upskill trace import missing/file
  has 'missing/file' 'No such file or directory'
  mkfifo pipe
  run 3 upskill trace import pipe
  has 'not a regular file'
  for name in missing/file pipe . nobody ''; do
    code=0
    upskill trace show "$name" >said 2>&1 </dev/null || code=$?
    ((code == 2 || code == 3)) || fail "$name: ended with $code"
    grep -q '^error: ' said
  done
}

test_a_file_or_folder_that_may_not_be_read() {
  [[ $(id -u) != 0 ]] || skip "root may read everything"
  three_sessions
  chmod 0 ~/.codex/sessions/2026 "$gemini_file"
  run 0 upskill trace import
  chmod 700 ~/.codex/sessions/2026
  has '1 session imported' 'Permission denied'
}

test_a_database_that_is_locked_or_of_something_else() {
  command -v sqlite3 >/dev/null || skip "there is no sqlite3"
  three_sessions
  mkdir -p ~/.local/share/opencode
  sqlite3 ~/.local/share/opencode/opencode.db 'CREATE TABLE other(a)'
  run 0 upskill trace import
  has '3 sessions imported' 'opencode.db'
  lacks traces.tmp # a copy that nobody knows
  coproc sqlite3 ~/.local/share/opencode/opencode.db
  printf 'BEGIN EXCLUSIVE;\n.print ready\n' >&"${COPROC[1]}"
  read -r -t 10 <&"${COPROC[0]}" || fail "no lock"
  run 0 upskill trace import --json
  counts 0 0 3 1
  has locked
}

test_help_and_what_is_mistyped() {
  run 0 upskill help trace
  has 'trace import' 'trace capture'
  local name
  for name in list search show import export distill allow purge capture; do
    run 0 upskill help trace $name
    (($(wc -L <<<"$out") <= 80)) || fail "wider than 80: $out"
  done
  run 2 upskill trace
  err_has import
  run 2 upskill trace capture maybe
  err_has 'status, on, off'
  run 2 upskill trace list --outcome great
  err_has approved
  absent ~/.local/state/upskill/traces.db
  for name in 'list --limit 0' 'search nvcc --limit 0' 'show 3f1c --limit 0'; do
    run 2 upskill trace $name
    err_has --limit 'from 1 to'
  done
}

test_lines_fit_the_screen() {
  kept_sessions
  local words
  for words in import list 'search tests' 'purge --all --dry-run' capture 'list --agent codex'; do
    run 0 env COLUMNS=72 upskill trace $words
    (($(wc -L <<<"$out") <= 72)) || fail "$words is wider: $out"
  done
}
