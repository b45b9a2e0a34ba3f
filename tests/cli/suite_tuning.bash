# What generate does beside the draft where somebody asks for it: counterexamples, a description that
# is tuned, scripts; and what it does where nothing can be tried.

. "$(dirname "${BASH_SOURCE[0]}")/generate_world.bash"
drafted="How numbered questions are answered. Use it for each of them."
tuned="Which ordinal numbered questions have."

# A second model of the server's, which looks for counterexamples.
sly=(--counterexamples generic.sly)

needs_sandbox() {
  bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "bubblewrap does not work here"
}

may_hide() {
  bwrap_hidden true 2>/dev/null || skip "this machine lets nobody hide a program"
}

# How often that model was asked, and how often anybody for queries or a description.
asked_sly() { grep -c '"model":"sly"' asked || :; }
asked_queries() { grep '"response_format":{' asked | grep -c '"queries":{' || :; }
asked_descriptions() { grep '"response_format":{' asked | grep -c '"description":{' || :; }

# is COUNT NUMBER WHAT
is() {
  [[ $1 == "$2" ]] || fail "$3: $1, not $2"
}

# --- counterexamples ---

test_counterexamples_join_the_next_round() {
  by_server --draft useless-first
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --json
  has '"outcome":"saved"' '"train_cases":15' '"held_out_cases":10' '"attempt":2,' \
    '"role":"counterexamples","model":"generic.sly"'
  grep '"model":"sly"' asked >to_sly
  is "$(wc -l <to_sly)" 1 "the second model was asked"
  file_has to_sly "does harm" "first-try-without-a-lesson" # it is shown the draft
  # The teacher is told on which of them its draft failed.
  grep '"model":"m"' asked | grep -v '"response_format":{' | grep -v 'You are given a task' >drafts
  is "$(wc -l <drafts)" 2 "drafts were asked for"
  tail -n 1 drafts | grep -q 'Exception [0-9a-f]*-5: what' || fail "the teacher was not told of them"
  # 5 cases x 3 runs without it, with the first draft, and with the second one.
  grep 'You are given a task' asked | grep 'Exception ' >tried
  is "$(wc -l <tried)" 45 "students were asked"
  is "$(grep -c "$marker" tried)" 15 "students with the second draft were asked"
  is "$(grep -o '"input": "Exception' $saved/skill_meta.json | wc -l)" 5 "they are kept"
}

test_counterexamples_decide_nothing() {
  by_server --draft useless-first
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}"
  has "25 cases: 15 to refine by, 10 held out" "better on 10 held-out cases" "Saved to ./$saved"
}

test_a_skill_that_is_proven_needs_no_counterexamples() {
  by_server
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --json
  has '"outcome":"saved"' '"train_cases":10'
  is "$(asked_sly)" 0 "the second model was asked"
}

test_counterexamples_that_are_none_do_no_harm() {
  local kind
  for kind in talk anything; do
    by_server --draft useless-first --counters $kind
    run 0 upskill generate "$task, $kind" "${with_server[@]}" "${sly[@]}" -o out/$kind/drawn-lesson --json
    has '"outcome":"saved"' '"train_cases":10' '"no counterexamples: '
    is "$(asked_sly)" 2 "the second model was asked"
    by_server --draft useless-first --counters $kind --mends
    run 0 upskill generate "$task, mended $kind" "${with_server[@]}" "${sly[@]}" \
      -o out/mended-$kind/drawn-lesson --json
    has '"outcome":"saved"' '"train_cases":15'
    lacks '"no counterexamples: '
  done
}

test_a_server_that_fails_at_counterexamples_does_no_harm() {
  by_server --draft useless-first --misbehaves-at 'You look for tasks at which'
  run 0 upskill generate "$task" -m generic.m --base-url "$server/html/v1" \
    --eval-base-url "$server/v1" "${sly[@]}" --json
  has '"outcome":"saved"' '"train_cases":10' '"no counterexamples: '
}

test_counterexamples_are_known_the_next_time() {
  by_server --draft useless-first
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" -o out/a/drawn-lesson
  local first
  first=$(wc -l <asked)
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" -o out/b/drawn-lesson --json
  is "$(wc -l <asked)" "$first" "models were asked"
  # 2 drafts, cases, counterexamples; 20 cases x 3 without it, 20 with each draft's train or all, and
  # the counterexamples in all three arms.
  has "\"cached\":$first,"
  diff out/a/drawn-lesson/SKILL.md out/b/drawn-lesson/SKILL.md
}

# --- descriptions ---

test_a_description_that_is_better_takes_the_place_of_the_drafted_one() {
  needs_sandbox
  by_server
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description --json
  has '"outcome":"saved"' '"triggers":{"train":12,"held_out":8,"before":{' '"changed":true' \
    "\"description\":\"$tuned\"" '"role":"trigger queries","model":"generic.m"'
  file_has $saved/SKILL.md "description: $tuned" "$marker"
  is "$(asked_queries)" 1 "queries were asked for"
  is "$(asked_descriptions)" 1 "descriptions were asked for"
  # The draft is picked at 3 of 10. What is held out (4 of them), the teacher is not shown.
  local shown
  shown=$(grep '"description":{' asked | grep -o 'Ticket [0-9a-f]*-[0-9]*' | sort -u | wc -l)
  ((shown >= 3 && shown <= 6)) || fail "the teacher was shown $shown queries"
  run 0 upskill validate ./$saved
}

test_a_tuned_description_is_told() {
  needs_sandbox
  by_server
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description
  has "$tuned" "on 8 queries held out; tuned by 12 queries" "no train query goes wrong any more"
  grep -qE '^  after +precision 100% .*, recall 100% ' <<<"$out" || fail "not what it is now: $out"
  grep -qE '^  before +precision .*, recall ([0-9]|[1-7][0-9])% ' <<<"$out" || fail "not what it was: $out"
  lacks "the description stays"
}

test_a_description_that_is_no_better_on_what_is_held_out_stays() {
  needs_sandbox
  local kind
  for kind in overfit greedy talk; do
    by_server --description $kind
    run 0 upskill generate "$task, $kind" "${with_server[@]}" --tune-description \
      -o out/$kind/drawn-lesson --json
    has '"outcome":"saved"' '"held_out":8' '"changed":false' "\"description\":\"$drafted\""
    file_has out/$kind/drawn-lesson/SKILL.md "description: $drafted"
    (($(asked_descriptions) >= 1)) || fail "$kind: no description was asked for"
  done
  has '"why":"no better description was written: '
  # Fitted to what it was shown, it is right there alone.
  by_server --description overfit
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description
  has "the description stays" "no train query goes wrong any more"
}

test_students_that_pick_by_chance_change_nothing_of_it() {
  needs_sandbox
  by_server --picks 0.9 --strays 0.1
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description --json
  has '"changed":true' "\"description\":\"$tuned\""
  # Whoever picks whatever there is cannot be told by a description.
  by_server --picks 0.5 --strays 0.5 --description overfit
  run 0 upskill generate "$task, at random" "${with_server[@]}" --tune-description \
    -o out/drawn-lesson --json
  has '"outcome":"saved"'
  (($(asked_descriptions) <= 4)) || fail "$(asked_descriptions) descriptions were asked for"
}

test_what_is_not_saved_is_not_tuned() {
  by_server --skill 0
  run 1 upskill generate "$task" "${with_server[@]}" --tune-description
  is "$(asked_queries)" 0 "queries were asked for"
  nothing_saved
}

test_counterexamples_and_a_description_together() {
  needs_sandbox
  by_server --draft useless-first
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --tune-description --json
  has '"outcome":"saved"' '"train_cases":15' '"changed":true' "\"description\":\"$tuned\""
  file_has $saved/SKILL.md "description: $tuned" "$marker"
  file_has $saved/skill_meta.json '"input": "Exception'
  is "$(asked_sly)" 1 "the second model was asked"
}

# --- ends in the middle ---

test_a_budget_that_ends_in_tuning_saves_what_is_proven() {
  needs_sandbox
  by_server
  # 122 calls of 911 tokens decide; the queries still have room.
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description --token-budget 130000 --jobs 4 --json
  has '"outcome":"saved"' "\"description\":\"$drafted\"" '130000 tokens'
  file_has $saved/SKILL.md "description: $drafted"
  is "$(asked_queries)" 1 "queries were asked for"
}

test_a_budget_that_ends_at_counterexamples_goes_on() {
  by_server --draft useless-first
  # Draft, cases, 60 samples without it and 30 with it.
  run 1 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --token-budget 100000 --jobs 4 --json
  has '"outcome":"stopped"' '100000 tokens'
  nothing_saved
  local first
  first=$(wc -l <asked)
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --jobs 4 --json
  has '"outcome":"saved"' '"train_cases":15'
  knows_answers
  is "$(asked_sly)" 1 "the second model was asked"
  is "$(sort asked | uniq -c | awk '$1 > 3' | wc -l)" 0 "questions were asked more than 3 times"
  (($(wc -l <asked) > first)) || fail "nobody was asked the second time"
}

test_tuning_goes_on_after_a_killed_daemon() {
  needs_sandbox
  by_server --delay-ms 50
  run 0 upskill daemon start
  upskill generate "$task" "${with_server[@]}" --tune-description --jobs 4 >first 2>&1 </dev/null &
  local command=$! pid
  pid=$(daemon_pid)
  becomes_true was_asked 150 || fail "it does not come so far: $(<first)"
  kill -9 "$pid"
  until_gone "$pid"
  wait "$command" || :
  nothing_saved
  is "$(asked_queries)" 1 "queries were asked for"
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description --jobs 4 --json
  has '"outcome":"saved"' '"changed":true'
  is "$(asked_queries)" 1 "queries were asked for"
  is "$(asked_cases asked)" 1 "cases were asked for"
}

test_tuning_goes_on_after_control_c() {
  needs_sandbox
  by_server --delay-ms 50
  run 0 upskill daemon start
  set -m # else the shell has it ignore the signal
  upskill generate "$task" "${with_server[@]}" --tune-description --jobs 4 >first 2>&1 </dev/null &
  set +m
  local command=$! code=0
  becomes_true was_asked 150 || fail "it does not come so far: $(<first)"
  kill -INT "$command"
  wait "$command" || code=$?
  is "$code" 130 "exit code"
  nothing_saved
  run 0 upskill generate "$task" "${with_server[@]}" --tune-description --jobs 4 --json
  has '"outcome":"saved"' '"changed":true'
  is "$(asked_queries)" 1 "queries were asked for"
}

# --- scripts, and no sandbox ---

test_a_script_that_runs_is_kept() {
  needs_sandbox
  by_server --draft script
  run 0 upskill generate "$task" "${with_server[@]}" --json
  has '"outcome":"saved"' '"path":"scripts/count.sh"'
  is "$($saved/scripts/count.sh)" counted "what it prints"
}

test_a_script_that_fails_is_told_and_left_out() {
  needs_sandbox
  by_server --draft failing-script
  run 0 upskill generate "$task" "${with_server[@]}"
  has "the script \`scripts/count.sh\` is left out: it ended with code 3: miscounted" \
    "SKILL.md names \`scripts/count.sh\`"
  lacks "count.sh  " bubblewrap
  absent $saved/scripts
  grep '"role":"assistant"' asked | grep -q 'ended with code 3: miscounted' || fail "the teacher was not told"
}

test_without_a_sandbox_no_script_is_kept() {
  may_hide
  by_server --draft script
  run 0 bwrap_hidden upskill generate "$task" "${with_server[@]}"
  has "Saved to ./$saved" "the script \`scripts/count.sh\` is left out: it could not be tried" \
    "no program \`bwrap\`" "apt install bubblewrap" "SKILL.md names \`scripts/count.sh\`"
  absent $saved/scripts
  file_has $saved/SKILL.md "$marker"
  # The teacher hears what it can do about it, and nothing of the machine.
  grep '"role":"assistant"' asked >again || fail "the teacher was not asked again"
  file_has again "write the skill without \`scripts/count.sh\`"
  ! grep -q 'bwrap\|bubblewrap' asked || fail "a model was told of the machine"
}

test_without_a_sandbox_a_teacher_may_do_without_scripts() {
  may_hide
  by_server --draft script --mends
  run 0 bwrap_hidden upskill generate "$task" "${with_server[@]}"
  has "Saved to ./$saved"
  lacks count.sh bubblewrap
  ! grep -q count.sh $saved/SKILL.md || fail "it names a script"
}

test_without_a_sandbox_tuning_is_refused_before_anybody_is_asked() {
  may_hide
  by_server
  run 3 bwrap_hidden upskill generate "$task" "${with_server[@]}" --tune-description
  err_has "no program \`bwrap\`" "apt install bubblewrap"
  run 3 bwrap_hidden upskill generate "$task" "${with_server[@]}" --student agent
  err_has "apt install bubblewrap"
  run 3 bwrap_hidden upskill generate "$task" "${with_server[@]}" --tune-description --dry-run
  is "$(wc -c <asked)" 0 "bytes were asked"
  run 0 bwrap_hidden upskill generate "$task" "${with_server[@]}"
}

# --- words ---

test_a_dry_run_tells_of_both() {
  needs_sandbox
  by_server
  run 0 upskill generate "$task" "${with_server[@]}" --dry-run
  lacks "generic.sly" "near misses"
  run 0 upskill generate "$task" "${with_server[@]}" "${sly[@]}" --tune-description --dry-run
  has "generic.sly for cases on which the skill hurts" "generic.m for messages that should pick the skill"
  # 3 drafts, cases 3 times, 30 cases x 3 in 4 arms; 2 rounds of 5 counterexamples x 3, each without a
  # draft, with its own and with all that follow; queries, 4 descriptions more, 5 x 20 x 3 x 2 turns.
  has "At most 1,078 calls"
  is "$(wc -c <asked)" 0 "bytes were asked"
}

test_words_that_do_not_go_together() {
  by_server
  run 2 upskill generate "$task" "${with_server[@]}" --no-eval --tune-description
  err_has "--no-eval"
  run 2 upskill generate "$task" "${with_server[@]}" --no-eval "${sly[@]}"
  err_has "--no-eval"
  run 2 upskill generate "$task" "${with_server[@]}" --attempts 1 "${sly[@]}"
  err_has counterexamples --attempts
  scripted_world
  run 3 upskill generate "$task" "${by_script[@]}" --counterexamples no-such-model
  err_has no-such-model
  run 3 upskill generate "$task" "${by_script[@]}" --counterexamples scripted:nowhere.json
  err_has nowhere.json
  run 3 upskill generate "$task" "${by_script[@]}" --counterexamples sampling
  err_has "\`sampling\`" "the agent that calls"
  run 2 upskill generate --propose "${with_server[@]}" --tune-description
  run 2 upskill generate --propose "${with_server[@]}" "${sly[@]}"
  is "$(wc -c <asked)" 0 "bytes were asked"
  nothing_saved
}
