# What is held of one agent, a function for each column; they print what is wrong. Sourced by `run`.

marker=sky-blue-otter # in the skill's description, and nowhere else

# write_session_script: lists skills when it is asked to, reads what was said so far, and says what came of
# it. Claude Code offers the tools of servers only after a search.
write_session_script() {
  cat >"$world/script.json" <<'END'
{"rules": [
  {"result": "List my skills with upskill", "say": "UPSKILL-LISTED-THEM and READ-MY-SESSION"},
  {"result": "otter-care", "call": "trace_read"},
  {"result": "otter-care", "say": "UPSKILL-LISTED-THEM"},
  {"result": "params.id", "say": "UPSKILL-LISTED-THEM"},
  {"result": "mcp__upskill__skill_list", "call": "skill_list"},
  {"result": "", "say": "NOTHING-CAME-BACK"},
  {"last": "List my skills", "call": "skill_list"},
  {"last": "List my skills", "call": "ToolSearch", "arguments": {"query": "select:mcp__upskill__skill_list,mcp__upskill__trace_read"}}
]}
END
}

# One run of the agent is what four columns look at: it is asked to list skills, with one that was
# written in Cursor's folder.
one_session() {
  mkdir -p "$home/.cursor/skills/otter-care"
  printf -- '---\nname: otter-care\ndescription: How a %s is cared for. Use it for otters.\n---\n\nWith fish.\n' \
    "$marker" >"$home/.cursor/skills/otter-care/SKILL.md"
  connect >>"$world/steps" 2>&1 || { echo "    setup: $(tail -n 3 "$world/stderr")"; return 1; }
  in_world upskill sync wait --timeout-ms 50000 >>"$world/steps" 2>&1 ||
    { tail -n 3 "$world/steps" "$world/stderr"; return 1; }
  ask "List my skills with upskill." >"$world/answer" || echo "    it ended with $?"
}

# The tools are offered to the model, one is called, and its answer comes from this home's daemon.
column_tools_called() {
  asked skill_list || { echo "    our tools are in no request"; servers | tail -n 3; return 1; }
  grep -q '"results":"[^"]*otter-care\|"results":"[^}]*otter-care' "$world/asked.jsonl" ||
    { echo "    no result of skill_list came to the model"; return 1; }
  in_era || return 1
  grep -q UPSKILL-LISTED-THEM "$world/answer" || { echo "    the agent does not print the answer"; return 1; }
}

# Claude Code writes down which era of MCP it came to speak with us.
in_era() {
  local era
  case $agent in
    claude) era=modern ;;
    claude-legacy) era=legacy ;;
    *) return 0 ;;
  esac
  grep -rqF "protocolEra\\\":\\\"$era" "$home/.cache/claude-cli-nodejs" ||
    { echo "    it does not speak MCP of the $era era with us"; return 1; }
}

# The description is in a request before any tool was called: from the agent's own list of skills.
column_skill_seen() {
  grep -F '"results":null' "$world/asked.jsonl" | grep -qF "$marker" ||
    { echo "    the skill is in no prompt; it is in: $(cd "$home" && echo .*/skills/otter-care)"; return 1; }
}

listed() {
  session=$(in_world upskill trace list --agent "$id" --json |
    python3 -c 'import json,sys; print(json.load(sys.stdin)["traces"][0]["id"])' 2>/dev/null)
}

# It is read while its agent writes it.
is_whole() {
  in_world upskill trace show "$session" >"$world/shown" && grep -q "List my skills with upskill" "$world/shown" &&
    grep -q UPSKILL-LISTED-THEM "$world/shown" && grep -q skill_list "$world/shown"
}

rang() { in_world upskill trace capture --json | grep -q '"hook_events":[1-9]'; }

column_trace_captured() {
  # OpenCode has no hooks; Codex runs one only once a person has trusted it.
  case $agent in
    opencode | codex) ;;
    *) becomes_true rang || { echo "    no hook of ours was called"; return 1; } ;;
  esac
  becomes_true listed || { echo "    no session of $id is kept"; return 1; }
  becomes_true is_whole || { echo "    the session $session lacks the prompt, the call or the answer"; return 1; }
}

# `trace_read` without an id gave the model what was said so far, and nothing of the session before it in
# the same folder.
column_own_session() {
  asked trace_read || { echo "    trace_read is in no request"; return 1; }
  grep -q READ-MY-SESSION "$world/answer" && ! asked '"results":"[^}]*Say hello' ||
    { echo "    trace_read gave: $(grep -o '"results":"[^}]*params.id[^}]*' "$world/asked.jsonl" | head -c 400)"; return 1; }
}

# Connected and disconnected with nothing in between, every byte of the home is as it was.
column_clean_removal() {
  local before after
  before=$(picture)
  connect >>"$world/steps" 2>&1 || { echo "    setup: $(tail -n 2 "$world/steps")"; return 1; }
  [[ $(picture) != "$before" ]] || { echo "    setup changed nothing"; return 1; }
  disconnect >>"$world/steps" 2>&1 || { echo "    setup --remove: $(tail -n 2 "$world/steps")"; return 1; }
  after=$(picture)
  [[ $after == "$before" ]] ||
    { echo "    files that differ:"; diff <(echo "$before") <(echo "$after") | sed -n 's/^[<>] [0-9a-f]*/     /p' | sort -u; return 1; }
}

# After it was used: its own list of servers no longer has ours, nor its skills the one about us.
stays_away() {
  servers >"$world/servers" 2>&1
  grep -q upskill "$world/servers" || { echo "    its list of servers never had ours"; return 1; }
  disconnect >>"$world/steps" 2>&1 || { echo "    setup --remove: $(tail -n 2 "$world/stderr")"; return 1; }
  if servers | grep -q upskill; then echo "    the agent still has our server"; return 1; fi
}

# probe ARM KEY [record|replay]: what came of a task, one line of JSON.
probe() {
  (
    extra=(GENERIC_API_KEY="$2" GOOGLE_GEMINI_BASE_URL= ANTHROPIC_BASE_URL=)
    in_world "$bin/agent_probe" "cli.$student" "$model" "http://127.0.0.1:$port$path" "$here/git-commit" \
      "$1" "Write a commit message for my login form." ${3:+"$3" "$world/cassette"}
  )
}

# is JSON KEY VALUE: says so where it is not.
is() {
  local value
  value=$(python3 -c 'import json,sys; print(json.dumps(json.loads(sys.argv[1]).get(sys.argv[2])))' "$1" "$2")
  [[ $value == "$3" ]] && return
  echo "    $2 is $value, not $3"
  wrong=1
}

# A task as an evaluation gives it, in the sandbox and behind the proxy: with the skill, without it, with a
# wrong key, and once more from what was recorded, with no model there.
column_student_run() {
  local tool arguments turns=2 requests=2 with baseline wrong=0 tools cached=null title=0 sandbox=true
  case $agent in
    claude*) tool=Skill arguments='{"skill":"git-commit"}' turns=3 ;; # the skill's text is a turn
    codex) tool=exec_command arguments='{"cmd":"cat .agents/skills/git-commit/SKILL.md"}' turns=null ;;
    gemini) tool=activate_skill arguments='{"name":"git-commit"}' turns=null ;;
    opencode) tool=skill arguments='{"name":"git-commit"}' ;;
    copilot) tool=skill arguments='{"skill":"git-commit"}' ;;
  esac
  type bwrap >/dev/null || sandbox=false
  # The mock tells what was cached in two of the four forms. OpenCode asks for a title as well, which it
  # does not count itself.
  case $agent in
    claude* | codex) cached=0 ;;
    opencode) title=1 ;;
  esac
  tools="[\"$tool\"]"
  [[ $agent != codex ]] || tools='["command_execution"]'
  # It asks for the skill in both arms; where it gets it, it answers by it.
  mkdir -p "$world/student" "$world/cassette"
  cat >"$world/student/script.json" <<END
{"rules": [
  {"last": "type(scope)", "say": "feat(login): add login form", "input": 900, "output": 11},
  {"result": "", "say": "Added login", "input": 850, "output": 3},
  {"last": "Write a commit message", "call": "$tool", "arguments": $arguments, "input": 800, "output": 7}
]}
END
  start_model "$world/student" "$key" || { echo "    the mock model does not start"; return 1; }
  with=$(probe with_skill "$key" record) || wrong=1
  baseline=$(probe baseline "$key") || wrong=1
  ((wrong == 0)) || printf '    %s\n' "$with" "$baseline"
  is "$with" answer '"feat(login): add login form"'
  is "$with" skills '["git-commit"]'
  is "$baseline" answer '"Added login"'
  is "$baseline" skills '[]'
  is "$with" input $((1700 + 100 * title))
  is "$baseline" input $((1650 + 100 * title))
  is "$with" output $((18 + 5 * title))
  is "$baseline" output $((10 + 5 * title))
  is "$with" cache_read $cached
  is "$with" requests $((requests + title))
  is "$with" sandbox $sandbox
  is "$with" skill_read true
  is "$with" skill_described true
  is "$baseline" skill_read false
  is "$baseline" skill_described false
  is "$with" tool_calls 1
  is "$with" tools "$tools"
  is "$with" turns "$turns"
  asked "How commit messages are written here" "$world/student" || { echo "    the skill is in no prompt"; wrong=1; }
  with=$(probe with_skill another-key-that-is-none-9876543210) && wrong=1
  is "$with" error '"permission"'
  stop_model
  with=$(probe with_skill "$key" replay) || { wrong=1; echo "    the replay: $with"; }
  is "$with" answer '"feat(login): add login form"'
  is "$with" cached true
  return $wrong
}
