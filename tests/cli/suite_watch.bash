# watch: a version is accepted, and what is written later is held against it.

. "$(dirname "${BASH_SOURCE[0]}")/watch_world.bash"

test_nothing_is_watched_at_first() {
  three_agents
  run 0 upskill watch status
  has "No skill is watched." "upskill eval accept"
  run 0 upskill watch status --json
  has '"skills":[]'
}

test_a_version_is_accepted() {
  watched ask
  accept
  has "greet is accepted as" "generic.m" "helps when read" " 20 " " 60 " "upskill watch"
  run 0 upskill watch status
  has "greet  OK" "it is the accepted version"
}

test_a_dry_run_accepts_nothing() {
  watched ask
  accept --dry-run
  has "would be accepted" "60 samples"
  [[ ! -s asked ]] || fail "somebody was asked"
  run 0 upskill watch status
  lacks OK "accepted version"
}

test_what_cannot_be_accepted() {
  watched ask
  run 3 upskill eval accept nobody -m generic.m --base-url "$server/v1"
  err_has nobody
  skill "$c" bare
  run 3 upskill eval accept bare -m generic.m --base-url "$server/v1"
  err_has "test"
}

test_a_worse_version_is_called_a_regression_where_it_was_synced_from() {
  watched auto
  accept
  rewrite "Say some words." "$u"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  grep -q "some words" "$a/greet/SKILL.md" "$c/greet/SKILL.md" || fail "it was not synced"
  run 0 upskill watch status
  has "greet  REGRESSED" "Changed since it was accepted: body" "generic.m"
}

test_a_version_that_is_as_good_is_ok() {
  watched auto
  accept
  rewrite "Do say MAGIC words, and say them well." "$c"
  wait_idle
  verdict '"changed":["body"]'
  [[ $(<status.json) == *'"verdict":"OK"'* ]] || fail "$(<status.json)"
}

test_a_version_that_has_a_verdict_asks_nobody() {
  watched auto
  accept
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  rewrite "Say other words." "$c"
  wait_idle
  becomes_true grep -q REGRESSED status.json
  verdict '"verdict":"REGRESSED"'
  local before=$(asked)
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  (($(asked) == before)) || fail "$(asked) questions, $before before"
  rewrite "Say MAGIC words." "$c"
  wait_idle
  verdict '"it is the accepted version"'
  (($(asked) == before)) || fail "$(asked) questions, $before before"
}

test_what_costs_waits_where_the_mode_is_ask() {
  watched ask
  accept
  local before=$(asked)
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"waiting"'
  (($(asked) == before)) || fail "somebody was asked"
  run 0 upskill watch status
  has "UNDECIDED" "waits for a word" "upskill watch run greet"
  run 0 upskill watch run greet
  verdict '"verdict":"REGRESSED"'
  (($(asked) > before)) || fail "nobody was asked"
  run 3 upskill watch run nobody
  err_has nobody "is not watched"
}

# One of them waits for a model that has stopped answering.
test_what_asks_nobody_does_not_wait_for_what_does() {
  watched auto
  cp -r "$c/greet" "$c/other"
  sed -i 's/name: greet/name: other/' "$c/other/SKILL.md"
  printf 'mode: ask\n' >"$c/other/evals/watch.yaml"
  wait_idle
  accept
  run 0 upskill eval accept other -m generic.m --base-url "$server/v1"
  kill -STOP "${server_pids[0]}"
  rewrite "Say some words." "$c"
  becomes_true eval 'upskill watch status greet --json >status.json; grep -q "\"state\":\"testing\"" status.json'
  sed -i 's/MAGIC/no/' "$c/other/SKILL.md"
  local is_waiting=0
  becomes_true eval 'upskill watch status other --json >status.json; grep -q "\"state\":\"waiting\"" status.json' || is_waiting=1
  run 0 upskill watch status greet --json
  kill -CONT "${server_pids[0]}"
  ((is_waiting == 0)) || fail "$(<status.json)"
  has '"state":"testing"'
  verdict '"verdict":"REGRESSED"'
}

test_a_budget_ends_it_undecided() {
  watched auto
  printf 'watch:\n  mode: auto\n  budget:\n    hour:\n      runs: 2\n' >~/.config/upskill/config.yaml
  accept
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"out_of_budget"'
  (($(asked) == 62)) || fail "$(asked) questions"
  # Neither a restart nor another version has more to spend.
  run 0 upskill daemon stop
  local before=$(asked)
  rewrite "Say other words." "$c"
  wait_idle
  verdict '"reason":"out_of_budget"'
  (($(asked) == before)) || fail "$(asked) questions, $before before"
}

test_a_file_that_nobody_accepted_spends_nothing() {
  watched ask
  accept
  local before=$(asked)
  printf 'mode: auto\n' >"$c/greet/evals/watch.yaml"
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"waiting"'
  (($(asked) == before)) || fail "somebody was asked"
  grep -q '"mode":"ask"' status.json || fail "$(<status.json)"
  # Accepted as it stands, it counts.
  accept
  before=$(asked)
  rewrite "Say MAGIC words again, and nothing else." "$c"
  wait_idle
  becomes_true settled '"mode":"auto"'
  verdict '"reason":"'
  (($(asked) > before)) || fail "nobody was asked"
}

test_what_nobody_can_notice_is_ok_at_once() {
  watched auto
  accept
  local before=$(asked)
  printf '\n\n' >>"$c/greet/SKILL.md"
  wait_idle
  verdict 'nothing was changed that an agent notices'
  (($(asked) == before)) || fail "somebody was asked"
}

test_a_restart_finds_what_changed_meanwhile() {
  watched auto
  accept
  run 0 upskill daemon stop
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
}

test_a_look_costs_nothing_and_needs_no_accepted_version() {
  three_agents
  run 0 upskill sync enable --yes
  skill "$c" greet "See [more](references/more.md)."
  wait_idle
  verdict '"reason":"nothing_accepted"'
  grep -q 'references/more.md' status.json || fail "$(<status.json)"
  printf -- '---\nname: greet\n---\n\nSay words.\n' >"$c/greet/SKILL.md"
  wait_idle
  becomes_true settled '"errors":1' || fail "$(<status.json)"
  run 3 upskill watch run greet
  err_has "is not watched" "upskill eval accept"
  absent ~/.local/state/upskill/evals.db
}

test_what_a_version_may_do_more_is_told() {
  watched ask
  accept
  printf -- '---\nname: greet\ndescription: What greet does and when to use it.\nallowed-tools: Bash\n---\n\nSay MAGIC. See https://evil.example/x.\n' >"$c/greet/SKILL.md"
  wait_idle
  verdict '"reason":"waiting"'
  local gains=$(grep -o '"gains":\[[^]]*\]' status.json)
  [[ $gains == *'`Bash` may be used without asking'*'evil.example'* ]] || fail "$gains"
  rewrite "Say MAGIC words." "$c"
  wait_idle
  verdict '"it is the accepted version"'
  ! grep -q '"gains":\["' status.json || fail "$(<status.json)"
}

test_what_it_takes_is_estimated_before() {
  watched ask
  accept
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"waiting"'
  # At 95 % by 60 samples a version that is as good takes about two dozen.
  local samples=$(grep -o '"estimate":{"samples":[0-9]*' status.json | grep -o '[0-9]*$')
  ((samples >= 15 && samples <= 40)) || fail "$(<status.json)"
  grep -q '"most":360' status.json || fail "$(<status.json)"
}

test_a_test_is_cancelled_and_goes_on() {
  watched auto --delay-ms 300
  accept
  # As good, which takes more than the twenty that are asked at a time.
  rewrite "Do say MAGIC words, and say them well." "$c"
  becomes_true eval 'upskill watch status --json >status.json; grep -q "\"samples\":[1-9]" status.json'
  run 0 upskill watch cancel greet
  has UNDECIDED "a person has ended the test"
  verdict '"reason":"cancelled"'
  run 0 upskill watch run greet
  verdict '"verdict":"OK"'
  # What was answered before it was cancelled was not asked again.
  local samples asked
  IFS=, read -r samples asked < <(sed 's/.*"samples":\([0-9]*\).*"asked":\([0-9]*\).*/\1,\2/' status.json)
  ((asked < samples)) || fail "$asked of $samples were asked"
  run 3 upskill watch cancel nobody
  err_has nobody
}

test_many_changes_at_once_wait_for_a_word() {
  watched auto --delay-ms 500
  printf 'watch:\n  mode: auto\n  ask_above: 2\n' >~/.config/upskill/config.yaml
  local name
  for name in a b; do
    cp -r "$c/greet" "$c/$name"
    sed -i "s/name: greet/name: $name/" "$c/$name/SKILL.md"
  done
  wait_idle
  for name in greet a b; do
    run 0 upskill eval accept $name -m generic.m --base-url "$server/v1"
  done
  for name in greet a b; do
    sed -i 's/MAGIC/no/' "$c/$name/SKILL.md"
  done
  wait_idle
  becomes_true three_wait || fail "$(<status.json)"
  local before=$(asked)
  run 0 upskill watch run b
  becomes_true eval 'upskill watch status b --json >status.json; grep -q REGRESSED status.json' || fail "$(<status.json)"
  (($(asked) > before)) || fail "nobody was asked"
}

three_wait() {
  upskill watch status --json >status.json
  (($(grep -o "3 skills were changed at once" status.json | wc -l) == 3))
}

# What a coding agent answers is in no cache, so a test of one keeps its outcomes. This one stops
# answering at its third question about the worse version, until there is `go`.
test_agents_that_were_asked_are_not_asked_again_after_a_crash() {
  mkdir bin
  cat >bin/claude <<END
#!/bin/bash
[[ \$1 == --version ]] && { echo 2.1.329; exit; }
question=\$(cat)
answer=pass
if ! grep -q MAGIC .claude/skills/greet/SKILL.md; then
  answer=no
  mkdir "$PWD/first" 2>/dev/null || mkdir "$PWD/second" 2>/dev/null || until [[ -e "$PWD/go" ]]; do
    read -rt 0.05 <> <(:)
  done
fi
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","num_turns":1,"session_id":"s"}\n' \$answer
printf '%s %s\n' \$answer "\$(md5sum <<<"\$question")" >>"$PWD/answered"
END
  chmod +x bin/claude
  PATH=$PWD/bin:$PATH ANTHROPIC_API_KEY=k
  export ANTHROPIC_API_KEY
  watched auto
  run 0 upskill eval accept greet --student cli.claude-code --no-sandbox --runs 1 # it tells us where it is
  has " 20 "
  rewrite "Say some words." "$c"
  wait_idle
  becomes_true eval 'upskill watch status --json >status.json; grep -q "\"asked\":2" status.json' || fail "$(<status.json)"
  kill -9 "$(daemon_pid)"
  touch go
  verdict '"verdict":"REGRESSED"'
  # Each question once for the accepted version, and once for this one.
  [[ -z $(grep ^no answered | sort | uniq -d) ]] || fail "asked twice: $(sort answered | uniq -c)"
}

# A model can be a coding agent, too, and that is no cheaper.
test_an_agent_that_answers_for_a_model_waits_for_a_word() {
  mkdir bin
  cat >bin/claude <<END
#!/bin/bash
[[ \$1 == --version ]] && { echo 2.1.329; exit; }
cat >/dev/null
printf x >>"$PWD/called"
printf '{"type":"result","subtype":"success","is_error":false,"result":"pass","num_turns":1,"session_id":"s"}\n'
END
  chmod +x bin/claude
  PATH=$PWD/bin:$PATH ANTHROPIC_API_KEY=k
  export ANTHROPIC_API_KEY
  watched ask
  run 0 upskill eval accept greet --model cli.claude-code --runs 1
  local before=$(stat -c %s called)
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"waiting"'
  (($(stat -c %s called) == before)) || fail "it was asked"
}

test_a_version_that_only_waits_spends_no_alpha() {
  watched ask
  accept
  local i
  for i in 1 2 3; do
    rewrite "Say some words $i." "$c"
    wait_idle
    becomes_true settled "\"look\":1" || fail "$(<status.json)"
    verdict '"reason":"waiting"'
  done
  run 0 upskill watch run greet
  verdict '"verdict":"REGRESSED"'
  grep -q '"look":1' status.json || fail "$(<status.json)"
  # Of this one something is known, so the next one is the second.
  rewrite "Say some words 4." "$c"
  wait_idle
  becomes_true settled '"look":2' || fail "$(<status.json)"
}

test_what_was_answered_before_decides_without_a_budget() {
  watched auto
  accept
  printf 'watch:\n  mode: auto\n  budget:\n    day:\n      runs: 0\n' >~/.config/upskill/config.yaml
  rewrite "Say some words." "$c"
  wait_idle
  verdict '"reason":"out_of_budget"'
  run 0 upskill eval greet -m generic.m --base-url "$server/v1" --runs 3 --no-baseline
  local before=$(asked)
  run 0 upskill daemon stop
  verdict '"verdict":"REGRESSED"'
  (($(asked) == before)) || fail "somebody was asked"
}

test_a_verdict_of_before_an_acceptance_does_not_count() {
  watched auto
  run 0 upskill eval accept greet -m generic.m --base-url "$server/v1" --runs 1
  rewrite "Do say MAGIC words, and say them well." "$c"
  wait_idle
  verdict '"most":120'
  rewrite "Say MAGIC words." "$c"
  wait_idle
  verdict '"it is the accepted version"'
  accept
  rewrite "Do say MAGIC words, and say them well." "$c"
  wait_idle
  verdict '"most":360'
}

test_what_cannot_be_used_is_not_asked_about_without_a_word() {
  watched auto
  accept
  local before=$(asked)
  printf -- '---\nname: greet\n---\n\nSay some words.\n' >"$c/greet/SKILL.md"
  wait_idle
  verdict 'cannot be used as it is'
  (($(asked) == before)) || fail "somebody was asked"
  run 0 upskill watch run greet
  verdict '"verdict":"REGRESSED"'
}

test_a_word_counts_where_the_mode_is_off() {
  watched off
  accept
  rewrite "Say some words." "$c"
  wait_idle
  verdict 'its mode is `off`'
  run 0 upskill watch run greet
  verdict '"verdict":"REGRESSED"'
}

test_cases_that_are_new_broken_or_gone_are_no_verdict() {
  watched auto
  accept
  sed -i 's/Question 7"/Question 7z"/' "$c/greet/evals/evals.json"
  wait_idle
  verdict '"never_asked":["q7"]'
  run 0 upskill watch status
  has UNDECIDED "was never asked: q7" "upskill eval accept"
  printf '{"cases":[{' >"$c/greet/evals/evals.json"
  wait_idle
  verdict '"reason":"no_cases"'
  printf '{"cases":[]}' >"$c/greet/evals/evals.json"
  wait_idle
  becomes_true eval 'upskill watch status --json >status.json; grep -qE "no_cases|only its test cases" status.json' || fail "$(<status.json)"
}

test_an_agent_is_told() {
  watched auto
  accept
  mkfifo to from
  upskill mcp <to >from 2>bridge_err &
  exec 7>to 8<from
  say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
  hear '"id":1'
  say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  say '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"eval://greet"}}'
  hear '"id":2'
  rewrite "Say some words." "$u"
  while :; do
    hear '"method":"notifications/resources/updated"'
    [[ $out == *"eval://greet"* ]] || fail "$out"
    say '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"eval://greet"}}'
    hear '"id":3'
    [[ $out == *REGRESSED* ]] && break
  done
}

say() {
  printf '%s\n' "$1" >&7
}

# hear TEXT: reads lines until one holds it.
hear() {
  out=
  until [[ $out == *"$1"* ]]; do
    IFS= read -r -t 30 out <&8 || fail "no answer with $1; stderr: $(<bridge_err)"
  done
}
