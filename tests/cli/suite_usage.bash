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
