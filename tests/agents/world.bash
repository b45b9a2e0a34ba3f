# A home for one agent, a mock model, and the end of everything that ran there. Sourced by `run`.

# start_model FOLDER [KEY]: with FOLDER/script.json; sets `port`. What it is asked: FOLDER/asked.jsonl.
start_model() {
  local folder=$1
  stop_model
  coproc MODEL { exec "$bin/agent_model" "$folder/script.json" "$folder/asked.jsonl" ${2:+"$2"} 2>>"$folder/model.log"; }
  model_pid=$MODEL_PID
  port=
  read -r -t 30 port <&"${MODEL[0]}"
  [[ -n $port ]]
}

model_pid=
stop_model() {
  [[ -z $model_pid ]] || { kill "$model_pid" && wait "$model_pid"; } 2>/dev/null
  model_pid=
}

# Agents leave servers and helpers behind: all whose home is in this test's folder end.
end_all() {
  local one
  for one in /proc/[0-9]*; do
    [[ ${one#/proc/} != "$$" ]] && grep -qszF -- "HOME=$scratch/" "$one/environ" &&
      kill -KILL "${one#/proc/}" 2>/dev/null
  done
  return 0
}

# An empty home, but for Cursor's folder, and a project.
make_world() {
  world=$scratch/$agent home=$scratch/$agent/home
  mkdir -p "$home/.cursor" "$world/project" "$world/tmp"
  git init --quiet "$world/project"
}

# Every file of the home but upskill's own, with what is in it. Where skills are written a folder to stage
# them in stays.
picture() {
  (cd "$home" && find . \( -path ./.local/share/upskill -o -path ./.local/state/upskill \
    -o -path ./.config/upskill -o -name .upskill-stage \) -prune -o \( -type f -o -type l \) -print0 |
    sort -z | xargs -0 sha256sum)
}

# asked TEXT [FOLDER]: whether a request held it. The log is JSON, so it is compared as JSON has it.
asked() { grep -qF -- "$1" "${2:-$world}/asked.jsonl"; }

becomes_true() { # COMMAND...: within 20 s; each try is a call of the daemon's, which takes its time
  local until=$((SECONDS + 20))
  until "$@"; do
    ((SECONDS < until)) || return 1
  done
}
