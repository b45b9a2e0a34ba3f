# Words, help, exit codes: nothing here needs a daemon, and nothing may start one.

no_daemon() {
  absent ~/.local/state/upskill
}

test_version() {
  run 0 upskill --version
  has "upskill "
  no_daemon
}

test_alone_shows_help() {
  run 0 upskill
  has "Usage" "sync enable" "daemon start" "Examples"
  no_daemon
}

test_help_of_a_command() {
  run 0 upskill help sync enable
  has "--policy" "--dry-run" "--yes"
  first=$out
  run 0 upskill sync enable --help
  [[ $out == "$first" ]] || fail "the two ways to help differ"
}

test_help_of_a_group() {
  run 0 upskill help sync
  has "sync undo" "sync conflicts"
}

test_generate_and_its_other_command() {
  run 2 upskill generate
  err_has "needs \`task\`"
  run 2 upskill inbox acept x
  err_has "did you mean \`upskill inbox accept\`"
  run 0 upskill generate --propose --help
  first=$out
  run 0 upskill help propose
  [[ $out == "$first" ]] || fail "\`generate --propose\` is not \`propose\`"
  no_daemon
}

test_help_of_daemon_run() {
  run 0 upskill help daemon run
  has "--log" "--log-file" "--mirror" "--trace"
  first=$out
  run 0 upskill daemon run --help
  [[ $out == "$first" ]] || fail "the two ways to help differ"
  no_daemon
}

test_a_full_disk_is_told() {
  local words
  for words in --version --help man "completion bash" "help sync" "daemon unit" "help --json" \
    "sync --help"; do
    run 3 sh -c "upskill $words >/dev/full"
    err_has "standard output" "No space left" "hint: "
  done
}

test_a_closed_stdout_is_told() {
  run 3 sh -c 'upskill man >&-'
  err_has "standard output" "hint: "
}

test_a_reader_that_leaves_is_no_error() {
  run 0 bash -c 'upskill man | head -n 1; [[ ${PIPESTATUS[0]} == 0 || ${PIPESTATUS[0]} == 141 ]]'
  [[ -z $err ]] || fail "stderr: $err"
}

# is_json WORDS...: stdout of the command is one JSON document on one line.
is_json() {
  run 0 "$@" --json
  [[ $(wc -l <"$CASE_FOLDER/out") == 1 && $out == {*} ]] || fail "$*: $out"
  [[ -z $err ]] || fail "$*: $err"
  command -v python3 >/dev/null || return 0
  python3 -m json.tool "$CASE_FOLDER/out" >/dev/null || fail "$*: $out"
}

test_json_of_commands_that_ask_nobody() {
  is_json upskill help
  has '"command":"sync enable"' '"name":"--policy"'
  is_json upskill help sync undo
  lacks '"command":"list"'
  is_json upskill list --help
  is_json upskill man
  has '"page":'
  is_json upskill completion zsh
  has '"script":'
  is_json upskill daemon unit
  has '"unit":'
  is_json upskill --version
  is_json upskill reference --output generated
  no_daemon
}

test_unknown_command() {
  run 2 upskill stauts
  err_has "no command" "hint: did you mean \`upskill status\`?"
  [[ -z $out ]] || fail "an error belongs on stderr"
  no_daemon
}

test_unknown_option() {
  run 2 upskill list --jsno
  err_has "hint: did you mean \`--json\`?"
}

test_missing_word() {
  run 2 upskill show
  err_has "needs \`skill\`"
}

test_group_alone() {
  run 2 upskill sync
  err_has "needs a further word"
}

test_enable_without_a_person() {
  run 2 upskill sync enable
  err_has "--yes"
  no_daemon
}

test_home_is_needed() {
  run 2 env -u HOME upskill status
  err_has "HOME"
}

test_completions() {
  for shell in bash zsh fish; do
    run 0 upskill completion $shell
    has "upskill" "enable"
  done
  run 2 upskill completion tcsh
  err_has "bash, zsh, fish"
}

test_man_page() {
  run 0 upskill man
  has ".TH UPSKILL 1"
}

test_unit() {
  run 0 upskill daemon unit
  has "[Service]" "upskilld\""
}

test_mcp_takes_no_options() {
  run 2 upskill mcp --verbose
  err_has "no option"
  [[ -z $out ]] || fail "stdout is the agent's"
}

test_reference() {
  run 0 upskill reference --output generated
  [[ -s generated/methods.md && -s generated/upskill.1 ]] || fail "documents are missing"
}

test_a_configuration_that_is_not_there() {
  run 3 upskill status --config /nonexist
  err_has "the configuration \`/nonexist\`" "No such file" "hint: "
  run 2 upskill status --config ''
  err_has "\`--config\` needs a value"
  no_daemon
}
