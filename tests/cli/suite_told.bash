# told: a person is told of verdicts, on the screen and by a program of their own.

c=~/.claude/skills
u=~/.cursor/skills

# person [LINE]...: a skill with 20 test cases in sync, of which a student passes 95 % where the skill has the
# word and 30 % where it has not; LINEs go below `watch` of their configuration. A screen is there, and a
# notify-send that writes its words down.
person() {
  three_agents
  mkdir -p ~/.config/upskill bin
  printf 'watch:\n  mode: auto\n' >~/.config/upskill/config.yaml
  (($# == 0)) || printf '  %s\n' "$@" >>~/.config/upskill/config.yaml
  program notify-send 'printf "[%s]" "$@" >>~/shown; echo >>~/shown'
  export PATH=$PWD/bin:$PATH DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere
  cat >student.json <<'END'
{"rules": [
  {"system": "MAGIC", "chance": 0.95, "seed": 1, "answer": "pass"},
  {"system": "MAGIC", "answer": "no"},
  {"chance": 0.3, "seed": 2, "answer": "pass"},
  {"answer": "no"}]}
END
  skill "$u" greet "Say MAGIC words."
  with_cases "$u/greet"
  touch ~/shown
  run 0 upskill sync enable --yes
  wait_idle
  accept greet
}

with_cases() {
  mkdir "$1/evals"
  local i cases=
  for i in {1..20}; do
    cases+=${cases:+,}'{"id":"q'$i'","input":"Question '$i'","expected":"pass"}'
  done
  printf '{"cases":[%s]}\n' "$cases" >"$1/evals/evals.json"
}

accept() {
  run 0 upskill eval accept "$1" -m scripted:student.json
}

# program NAME LINE: one that is found by its name.
program() {
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}

rewrite() {
  printf -- '---\nname: greet\ndescription: What greet does and when to use it.\n---\n\n%s\n' "$1" >"$2/greet/SKILL.md"
  wait_idle
}

holds() {
  [[ -f $1 && $(<"$1") == *"$2"* ]]
}

# told FILE TEXT: waits until it is there.
told() {
  becomes_true holds "$1" "$2" || fail "$1 lacks $2: $(cat "$1"); log: $(upskill daemon logs)"
}

lines() { wc -l <"$1"; }

# settled VERDICT: waits until the skill has it.
settled() {
  becomes_true has_verdict "$1" || fail "no $1: $(upskill watch status --json)"
}

has_verdict() {
  upskill watch status --json >status.json
  holds status.json "\"verdict\":\"$1\"" && ! holds status.json '"state":"testing"'
}

test_a_regression_is_shown_and_that_it_is_well_again() {
  person
  rewrite "Say some words." "$u"
  told ~/shown "[--urgency=critical][--][greet: REGRESSED]["
  rewrite "Say MAGIC words." "$u"
  told ~/shown "[--urgency=low][--][greet: OK again][it is the accepted version]"
  (($(lines ~/shown) == 2)) || fail "$(<~/shown)"
}

test_what_waits_for_a_word_is_shown_once() {
  person
  # What would cost: a model that is asked over HTTP.
  serve --base 0.55 --skill 0.95 --marker MAGIC
  run 0 upskill eval accept greet -m generic.m --base-url "$server/v1"
  sed -i 's/mode: auto/mode: ask/' ~/.config/upskill/config.yaml
  rewrite "Say some words." "$u"
  told ~/shown "[--urgency=normal][--][greet: waits for a word]["
  run 0 upskill daemon stop
  wait_idle
  settled UNDECIDED
  run 0 upskill watch run greet
  told ~/shown "greet: REGRESSED"
  (($(lines ~/shown) == 2)) || fail "$(<~/shown)"
}

test_the_persons_program_is_given_the_verdict() {
  person 'hook: [told, one]'
  program told 'cat >~/given; echo "$UPSKILL_SKILL $UPSKILL_VERDICT $UPSKILL_HASH $1 $PWD" >>~/ran'
  rewrite "Say some words." "$u"
  told ~/ran "greet REGRESSED"
  local hash=$(upskill watch status --json | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')
  is_file ~/ran "greet REGRESSED $hash one $HOME"
  told ~/given '"verdict":"REGRESSED"'
  told ~/given '"model":"scripted:'
}

test_a_program_that_hangs_keeps_nobody_from_the_screen_or_the_end() {
  person 'hook: [told]'
  program told 'tail -f /dev/null & echo $! >~/ran; wait' # what it starts is ended, too
  rewrite "Say some words." "$u"
  told ~/ran ""
  rewrite "Say MAGIC words." "$u"
  told ~/shown "greet: OK again"
  local pid=$(<~/ran)
  run 0 upskill daemon stop
  until_gone "$pid"
}

test_what_the_end_of_the_daemon_kept_from_being_told_is_told_after() {
  person 'hook: [told]'
  program told 'echo $$ >~/hangs; exec tail -f /dev/null'
  rewrite "Say some words." "$u"
  told ~/hangs ""
  run 0 upskill daemon stop
  program told 'echo "$UPSKILL_VERDICT" >>~/ran'
  wait_idle
  told ~/ran REGRESSED
}

test_a_restart_tells_nothing_again() {
  person 'hook: [told]'
  program told 'echo "$UPSKILL_VERDICT" >>~/ran'
  rewrite "Say some words." "$u"
  told ~/ran REGRESSED
  told ~/shown REGRESSED
  becomes_true test -s ~/.local/state/upskill/watch_told.json || fail "it is not kept"
  run 0 upskill daemon stop
  wait_idle
  settled REGRESSED
  # Another verdict comes after whatever the start had to tell.
  rewrite "Say MAGIC words." "$u"
  told ~/ran OK
  told ~/shown "OK again"
  is_file ~/ran $'REGRESSED\nOK'
  (($(lines ~/shown) == 2)) || fail "$(<~/shown)"
}

test_a_project_has_nothing_run() {
  person 'hook: [told]'
  program told 'echo "$UPSKILL_SKILL" >>~/ran'
  # Whatever is started here runs in the project, the daemon too.
  mkdir -p project/.claude/skills
  cd project
  printf 'watch:\n  notify: false\n  hook: [evil]\n' >upskill.config.yaml
  cd .. && program evil 'echo ran >~/evil' && cd project
  skill .claude/skills theirs "Say MAGIC words."
  with_cases .claude/skills/theirs
  run 0 upskill daemon stop
  cp ../student.json .
  run 0 upskill sync enable --project "$PWD" --yes
  wait_idle
  accept theirs
  skill .claude/skills theirs "Say some words."
  told ~/shown "[theirs: REGRESSED]"
  rewrite "Say some words." "$u"
  told ~/shown "[greet: REGRESSED]"
  told ~/ran $'theirs\ngreet' # the person's own counts as ever
  absent ~/evil
}

test_no_word_of_a_skill_is_an_option_or_markup() {
  person
  mv "$u/greet" "$u/--icon=<b>&"
  wait_idle
  local odd='--icon=<b>&'
  printf -- '---\nname: %s\ndescription: Odd.\n---\n\nSay MAGIC words.\n' "'$odd'" >"$u/$odd/SKILL.md"
  wait_idle
  accept "$u/$odd"
  printf -- '---\nname: %s\ndescription: Odd.\n---\n\nSay some words.\n' "'$odd'" >"$u/$odd/SKILL.md"
  wait_idle
  told ~/shown "[--][$odd: REGRESSED]["
}

test_nothing_is_shown_where_the_person_says_so() {
  person 'notify: false' 'hook: [told]'
  program told 'echo "$UPSKILL_VERDICT" >>~/ran'
  rewrite "Say some words." "$u"
  told ~/ran REGRESSED
  rewrite "Say MAGIC words." "$u"
  told ~/ran OK
  is_file ~/shown ""
}

test_what_is_missing_is_in_the_log_once() {
  person 'hook: [nobody-has-this]'
  run 0 upskill daemon stop
  unset DBUS_SESSION_BUS_ADDRESS
  rewrite "Say some words." "$u"
  settled REGRESSED
  rewrite "Say MAGIC words." "$u"
  settled OK
  becomes_true logged || fail "$(upskill daemon logs)"
  is_file ~/shown ""
  run 0 upskill watch status
  has "\`watch.hook\` cannot be run" nobody-has-this
}

logged() {
  upskill daemon logs >log
  (($(grep -c "watch.hook. cannot be run" log) == 1 && $(grep -c "no session bus" log) == 1))
}

test_a_program_that_fails_is_told_once() {
  person 'hook: [told]'
  program told 'echo "it $UPSKILL_VERDICT" >>~/ran; echo "no such room" >&2; exit 4'
  rewrite "Say some words." "$u"
  told ~/ran "it REGRESSED"
  rewrite "Say MAGIC words." "$u"
  told ~/ran "it OK"
  becomes_true upskill_warns || fail "$(upskill watch status --json)"
  (($(upskill daemon logs | grep -c "ended with exit code 4: no such room") == 1)) || fail "$(upskill daemon logs)"
}

upskill_warns() {
  upskill watch status --json >status.json
  holds status.json "ended with exit code 4: no such room"
}
