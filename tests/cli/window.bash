# Windows that tmux makes, with keys that are pressed in them. Sourced after support.bash.

windows=0
in_tmux() { tmux -S "$CASE_FOLDER/t$windows" -f /dev/null "$@"; }

# window COLUMNS LINES COMMAND: runs it in a window of that size; it ends with the case.
window() {
  command -v tmux >/dev/null || skip "there is no tmux to make a window"
  ((++windows))
  trap 'exit 1' TERM # so that the window ends with a case that takes too long
  trap 'in_tmux kill-server 2>/dev/null || :; kill "${server_pids[@]}" 2>/dev/null || :' EXIT
  in_tmux new-session -d -x "$1" -y "$2" "$3"
}

# in_window COLUMNS LINES COMMAND: runs it in a window, from which the shell it was started in comes
# back. Leaves its exit code in `code`, and how the terminal was in `before` and `after`.
in_window() {
  window "$1" "$2" "echo the shell; stty -a >before
                    sh -c 'echo \$\$ >pid; exec env $3'; echo \$? >code.now
                    stty -a >after; mv code.now code; read line"
}

keys() { in_tmux send-keys "$@"; }
picture() { in_tmux capture-pane -p >picture && cat picture; }
is_shown() { picture | grep -qF -- "$1"; }
is_not_shown() { ! is_shown "$1"; }

# shows TEXT...: the picture comes to have each of them, in whatever order.
shows() {
  local text
  for text in "$@"; do
    becomes_true is_shown "$text" || fail "the picture lacks: $text"$'\n'"$(<picture)"
  done
}

# gone_from_screen: the shell is back, as it was.
gone_from_screen() {
  becomes_true test -s code || fail "it does not end: $(picture)"
  becomes_true is_shown "the shell" || fail "the screen is not restored: $(<picture)"
  same before after
  [[ $(in_tmux display-message -p '#{alternate_on}#{cursor_flag}#{wrap_flag}') == 011 ]] ||
    fail "the terminal is not as it was: $(in_tmux display-message -p '#{alternate_on}#{cursor_flag}#{wrap_flag}')"
}

ended_with() {
  gone_from_screen
  [[ $(<code) == "$1" ]] || fail "ended with $(<code), not $1"
}
