# What a model asks for and a person must confirm: conflict_resolve through `upskill mcp`, both eras,
# and not as a job either.

a=~/.agents/skills
c=~/.claude/skills
client='"clientInfo":{"name":"t","version":"1"}'

# A conflict between this way and that way, and an agent's session over two fifos (7 to it, 8 from).
conflict_and_session() {
  three_agents
  skill "$c" pdf
  run 0 upskill sync enable --yes
  wait_idle
  run 0 upskill daemon stop
  sed -i 's/Do it./Do it this way./' "$a/pdf/SKILL.md"
  sed -i 's/Do it./Do it that way./' "$c/pdf/SKILL.md"
  wait_idle
  run 0 upskill sync conflicts
  has "pdf"
  mkfifo to from
  upskill mcp <to >from 2>bridge_err &
  exec 7>to 8<from
}

say() {
  printf '%s\n' "$1" >&7
}

# hear TEXT...: the next line, which holds each of them. That the list of skills has changed is told
# whenever the daemon has seen it.
hear() {
  out=notifications/resources/list_changed
  while [[ $out == *notifications/resources/list_changed* ]]; do
    IFS= read -r -t 20 out <&8 || fail "no answer; stderr: $(cat bridge_err)"
  done
  has "$@"
}

# modern_tool ID NAME ARGUMENTS [MEMBERS]: calls a tool, with further members of its parameters.
modern_tool() {
  local meta='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
  meta+=',"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}'
  say '{"jsonrpc":"2.0","id":'"$1"',"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"',"_meta":{'"$meta"'}'"${4-}"'}}'
}

# modern ID [MEMBERS]: calls conflict_resolve so.
modern() {
  modern_tool "$1" conflict_resolve '{"skill":"pdf","take":"loser"}' "${2-}"
}

# legacy_session CAPABILITIES: opens a session of that client.
legacy_session() {
  say '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'"$1"','"$client"'}}'
  hear '"protocolVersion":"2025-11-25"'
  say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

# legacy CAPABILITIES: the same, and calls conflict_resolve.
legacy() {
  legacy_session "$1"
  say '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conflict_resolve","arguments":{"skill":"pdf","take":"loser"}}}'
}

remember() {
  before=$(cat "$a/pdf/SKILL.md" "$c/pdf/SKILL.md")
}

unchanged() {
  [[ $(cat "$a/pdf/SKILL.md" "$c/pdf/SKILL.md") == "$before" ]] || fail "something was written"
}

# The loser has replaced the winner everywhere, and that can be taken back.
taken() {
  wait_idle
  same "$a/pdf" "$c/pdf"
  [[ $(cat "$a/pdf/SKILL.md" "$c/pdf/SKILL.md") != "$before" ]] || fail "nothing was written"
  run 0 upskill sync conflicts
  lacks "pdf"
  run 0 upskill sync undo
  wait_idle
  unchanged
}

# The member of the last line that is named so, a string.
member() {
  sed 's/.*"'"$1"'":\("[^"]*"\).*/\1/' <<<"$out"
}

test_modern_the_person_says_yes() {
  conflict_and_session
  remember
  modern 1
  hear '"id":1' '"resultType":"input_required"' '"elicitation/create"' 'pdf' '"requestState":'
  unchanged
  modern 2 ',"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},"requestState":'"$(member requestState)"
  hear '"id":2' '"resultType":"complete"' '"settled":['
  taken
}

test_modern_the_person_says_no() {
  conflict_and_session
  remember
  modern 1
  hear '"requestState":'
  state=$(member requestState)
  modern 2 ',"inputResponses":{"confirm":{"action":"decline"}},"requestState":'"$state"
  hear '"id":2' '"isError":true'
  modern 3 ',"inputResponses":{"confirm":{"action":"accept","content":{"confirm":false}}},"requestState":'"$state"
  hear '"id":3' '"isError":true'
  unchanged
}

test_modern_a_yes_to_no_question_changes_nothing() {
  conflict_and_session
  remember
  modern 1 ',"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}}'
  hear '"id":1' '"isError":true' 'call again'
  modern 2 ',"inputResponses":{"confirm":{"action":"accept","content":{"confirm":true}}},"requestState":"forged"'
  hear '"id":2' '-32602'
  unchanged
}

test_legacy_the_person_says_yes() {
  conflict_and_session
  remember
  legacy '{"elicitation":{}}'
  hear '"method":"elicitation/create"' 'pdf'
  unchanged
  id=$(sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/' <<<"$out")
  say '{"jsonrpc":"2.0","id":'"$id"',"result":{"action":"accept","content":{"confirm":true}}}'
  hear '"id":1' '"settled":['
  taken
}

test_legacy_the_person_cancels() {
  conflict_and_session
  remember
  legacy '{"elicitation":{}}'
  hear '"method":"elicitation/create"'
  id=$(sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/' <<<"$out")
  say '{"jsonrpc":"2.0","id":'"$id"',"result":{"action":"cancel"}}'
  hear '"id":1' '"isError":true'
  unchanged
}

test_nobody_can_be_asked() {
  conflict_and_session
  remember
  legacy '{}'
  hear '"id":1' '"isError":true' 'upskill sync resolve'
  unchanged
}

# A model answers the questions of its jobs by itself.
job_of_it='{"action":"start","tool":"conflict_resolve","arguments":{"skill":"pdf","take":"loser"},"wait":60}'

no_job_is_there() {
  hear '"jobs":[]'
  run 0 upskill sync conflicts
  has "pdf"
  unchanged
}

test_modern_no_job_asks_the_model_instead() {
  conflict_and_session
  remember
  modern_tool 1 job "$job_of_it"
  hear '"id":1' '"isError":true' '`conflict_resolve` cannot be started as a job'
  modern_tool 2 job '{"action":"list"}'
  no_job_is_there
}

test_legacy_no_job_asks_the_model_instead() {
  conflict_and_session
  remember
  legacy_session '{"elicitation":{}}'
  say '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"job","arguments":'"$job_of_it"'}}'
  hear '"id":1' '"isError":true' '`conflict_resolve` cannot be started as a job'
  say '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"job","arguments":{"action":"list"}}}'
  no_job_is_there
}
