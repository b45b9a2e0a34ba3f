# What the cases of every suite may use. Sourced in the shell of one case.

fail() {
  echo "$*"
  exit 1
}

skip() {
  echo "$*"
  exit 77
}

# run CODE WORDS...: runs a command that must end with CODE; leaves its text in $out and $err.
run() {
  local wanted=$1 code=0
  shift
  "$@" >"$CASE_FOLDER/out" 2>"$CASE_FOLDER/err" </dev/null || code=$?
  out=$(<"$CASE_FOLDER/out") err=$(<"$CASE_FOLDER/err")
  if [[ $code != "$wanted" ]]; then
    printf '%s\n' "$*: ended with $code, not $wanted" "stdout: $out" "stderr: $err"
    exit 1
  fi
}

# has TEXT...: stdout of the last command holds each of them; err_has likewise; lacks: none.
has() {
  local text
  for text in "$@"; do
    [[ $out == *"$text"* ]] || fail "stdout lacks: $text"$'\n'"$out"
  done
}

err_has() {
  local text
  for text in "$@"; do
    [[ $err == *"$text"* ]] || fail "stderr lacks: $text"$'\n'"$err"
  done
}

lacks() {
  local text
  for text in "$@"; do
    [[ $out != *"$text"* ]] || fail "stdout holds: $text"$'\n'"$out"
  done
}

is_file() {
  [[ $(cat "$1") == "$2" ]] || fail "$1 holds: $(cat "$1")"
}

same() {
  diff -r "$1" "$2" || fail "$1 and $2 differ"
}

absent() {
  [[ ! -e $1 && ! -L $1 ]] || fail "$1 is there"
}

# three_agents: folders by which Claude Code, Codex and Cursor are found.
three_agents() {
  mkdir -p ~/.claude ~/.codex ~/.cursor
}

# skill FOLDER NAME [TEXT]: a valid skill.
skill() {
  mkdir -p "$1/$2"
  printf -- '---\nname: %s\ndescription: What %s does and when to use it.\n---\n\n%s\n' \
    "$2" "$2" "${3-Do it.}" >"$1/$2/SKILL.md"
}

# Whether everything written so far has been seen and synced. A busy machine may take its time.
wait_idle() {
  local answer
  answer=$(upskill sync wait --timeout-ms 50000 --json) || fail "sync wait: $answer"
}

# tool NAME ARGUMENTS: calls an MCP tool through the bridge and prints the answer's line.
tool() {
  local meta='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
  meta+=',"io.modelcontextprotocol/clientCapabilities":{}'
  printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":{%s}}}\n' \
    "$1" "$2" "$meta" | upskill mcp
}

# bwrap_hidden COMMAND...: runs it where the file is none that can be run.
bwrap_hidden() {
  local program=$(type -P bwrap)
  if [[ -z $program ]]; then
    "$@"
  else
    unshare -Urm bash -c 'mount --bind /dev/null "$0" && exec "$@"' "$program" "$@"
  fi
}

daemon_pid() {
  upskill daemon status --json | sed 's/.*"pid":\([0-9]*\).*/\1/'
}

# until_gone PID: waits for the end of a process that is ending. A zombie has ended: whoever should
# take notice of it is none of ours.
until_gone() {
  becomes_true has_ended "$1" || fail "process $1 is still there"
}

has_ended() {
  [[ ! -r /proc/$1/stat ]] && return
  # Its other threads may still be ending, and hold its socket until then.
  [[ $(<"/proc/$1/stat") == *") Z "* && $(echo "/proc/$1/task/"*) == "/proc/$1/task/$1" ]]
} 2>/dev/null

# becomes_true COMMAND...: whether it succeeds within a minute; for what nothing tells of. A minute, since
# a program as large as Node may need most of it to begin, on a machine that never read it and is busy.
becomes_true() {
  local end=$((SECONDS + 60))
  while ((SECONDS < end)); do
    "$@" && return 0
    sleep 0.01
  done
  return 1
}

# serve [OPTION]...: a server of models (tests/model_server); sets `server` to its address. It ends
# with the case.
serve() {
  local port=port.$((++servers))
  model_server "$@" >"$port" 2>"$port.err" &
  server_pids+=("$!")
  trap 'kill "${server_pids[@]}" 2>/dev/null || :' EXIT
  becomes_true test -s "$port" || fail "the server does not start: $(<"$port.err")"
  server=http://127.0.0.1:$(<"$port")
}
servers=0 server_pids=()
