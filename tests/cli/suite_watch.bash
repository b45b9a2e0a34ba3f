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
  has "No skill is watched."
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
