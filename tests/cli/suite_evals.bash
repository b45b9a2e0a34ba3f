# eval: with a scripted model, so that every answer is known.

fixtures=${BASH_SOURCE[0]%/*}/../fixtures

kernel_builder() {
  cp -r "$fixtures/kernel-builder-cuda-kernels" .
  cp "$fixtures/kernel-builder-student.json" student.json
}

# small_suite: two cases, of which the skill teaches the second.
small_suite() {
  skill . greet "Say hello to everybody."
  cat >tests.json <<'END'
{"cases": [{"input": "one", "expected": {"contains": ["ONE"]}},
           {"input": "two", "expected": "hello"}]}
END
  cat >student.json <<'END'
{"rules": [{"user": "one", "answer": "one", "usage": {"input": 10, "output": 1}},
           {"system": "everybody", "answer": "Hello!", "usage": {"input": 20, "output": 1}},
           {"answer": "no", "usage": {"input": 10, "output": 1}}]}
END
}

test_the_example_skill_is_better() {
  kernel_builder
  run 0 upskill eval ./kernel-builder-cuda-kernels --model scripted:student.json --runs 3
  has "kernel-builder-cuda-kernels  20 cases, 3 runs" "baseline" "with skill" "better  lift +" \
    "tokens " "scripted:student.json"
  run 0 upskill eval ./kernel-builder-cuda-kernels --model scripted:student.json --runs 3 --json
  has '"verdict":"better"' '"lift":{"value":0.' '"is_beneficial":true' '"cost":0' '"errors":0'
}

test_counts_and_lift_are_those_of_the_answers() {
  small_suite
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --runs 3 --json
  has '"cases":2' '"with_skill":{"samples":6,"passed":6' '"baseline":{"samples":6,"passed":3' \
    '"lift":{"value":0.5,' '"verdict":"undecided"' '"total":96' '"total":66'
  lacks '"samples":['
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --verbose --json
  has '"case":"2","arm":"baseline","run":1,"outcome":"failed"' '"output":"Hello!"'
}

test_without_a_baseline_nothing_is_compared() {
  small_suite
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --no-baseline
  has "with skill" "2 of 2 samples"
  lacks "baseline  " "lift +"
}

test_errors_are_no_failures() {
  small_suite
  cat >student.json <<'END'
{"rules": [{"user": "one", "fault": "busy"}, {"answer": "hello"}]}
END
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --json
  has '"samples":1,"passed":1,"errors":1' '"rate":1'
}

test_options_as_the_python_tool_has_them() {
  small_suite
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --runs 2 -v --max-parallel 3 \
    --no-log-runs
  has "with skill" "case" "failed"
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --executor local --jobs-timeout 2h
  err_has "\`--jobs-timeout\` is for jobs on other machines"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json -m scripted:student.json
  err_has "twice"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json --fail-under 80
  err_has "fail" "0.8"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json --budget much
  err_has "much"
}

test_a_benchmark_has_a_table_with_baselines() {
  small_suite
  cp student.json other.json
  run 0 upskill benchmark ./greet -t tests.json -m scripted:student.json -m scripted:other.json
  has "3 runs" "Model" "Baseline" "Pass Rate" "Verdict" "50%" "100%" "+50%" "6/6"
}

test_another_version_takes_the_place_of_nothing() {
  small_suite
  skill old greet "Say nothing."
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --against old/greet --json
  has '"against":"old/greet"' '"lift":{"value":0.5,'
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --against ./greet --json
  has '"lift":{"value":0,'
}

test_several_skills_together_and_each_left_out() {
  small_suite
  skill . extra "Say no more."
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --with ./extra --json
  has '"skills":["greet","extra"]' '"skills":["extra"]' '"skills":["greet"]' '"skills":[]'
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --with ./extra
  has "1  greet" "2  extra" "1 + 2" "Against none" "Against all"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json --with ./greet
  err_has "twice"
}

test_the_answer_may_be_no() {
  small_suite
  run 1 upskill eval ./greet -t tests.json -m scripted:student.json --fail-on-undecided
  has "undecided"
  cat >student.json <<'END'
{"rules": [{"system": "everybody", "answer": "no", "usage": {"input": 20, "output": 1}},
           {"answer": "ONE hello", "usage": {"input": 10, "output": 1}}]}
END
  run 1 upskill eval ./greet -t tests.json -m scripted:student.json --fail-under 0.5
  has "less than 50 %"
  for i in 1 2 3 4 5 6 7; do echo "{\"input\": \"$i\", \"expected\": \"hello\"}"; done |
    paste -sd , | sed 's/.*/[&]/' >many.json
  run 1 upskill eval ./greet -t many.json -m scripted:student.json
  has "worse" "does worse with the skill"
}

test_two_models_side_by_side() {
  small_suite
  cp student.json other.json
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json \
    --model scripted:other.json
  has "scripted:student.json" "scripted:other.json"
}

test_what_cannot_be_asked_is_told() {
  small_suite
  run 3 upskill eval ./greet --tests tests.json # upskill's default is sonnet
  err_has "ANTHROPIC_API_KEY"
  run 3 upskill eval ./greet --tests tests.json --model no-such-model
  err_has "no-such-model"
  run 3 upskill eval ./greet --tests tests.json --model sonnet
  err_has "ANTHROPIC_API_KEY"
  run 3 upskill eval ./greet --tests nowhere.json --model scripted:student.json
  err_has "nowhere.json"
  run 3 upskill eval ./greet --model scripted:student.json
  err_has "--tests"
  run 3 upskill eval no-such-skill --model scripted:student.json
  err_has "no-such-skill"
  run 2 upskill eval ./greet --tests tests.json --model scripted:student.json --runs 0
  err_has "--runs"
  echo '{"cases": [{"input": "x", "expcted": "y"}]}' >wrong.json
  run 2 upskill eval ./greet --tests wrong.json --model scripted:student.json
  err_has "expcted"
  echo '{"rules": [{"usr": "x"}]}' >wrong-script.json
  run 2 upskill eval ./greet --tests tests.json --model scripted:wrong-script.json
  err_has "usr"
}

test_a_server_that_is_not_there() {
  small_suite
  echo '{"cases": [{"input": "one", "expected": "ONE"}]}' >tests.json
  run 3 timeout 60 upskill eval ./greet --tests tests.json --model generic.tiny \
    --base-url http://127.0.0.1:9/v1 --no-baseline
  err_has "127.0.0.1:9"
}

test_agents_stay_inside_the_skill_and_on_this_machine() {
  small_suite
  mkdir -p ~/.claude/skills
  cp -r greet ~/.claude/skills/greet
  cp tests.json student.json ~/.claude/skills/greet
  echo secret-words >~/secret
  out=$(tool skill_eval '{"skill":"greet","tests":"tests.json","model":["scripted:student.json"]}')
  has '"verdict":"undecided"' '"lift":{"value":0.5,'
  out=$(tool skill_eval "{\"skill\":\"greet\",\"tests\":\"$HOME/secret\",\"model\":[\"scripted:student.json\"]}")
  has 'the skill has no file' '"isError":true'
  lacks "secret-words"
  out=$(tool skill_eval '{"skill":"greet","tests":"../../../secret","model":["scripted:student.json"]}')
  has 'the skill has no file'
  out=$(tool skill_eval "{\"skill\":\"greet\",\"tests\":\"tests.json\",\"model\":[\"scripted:$HOME/secret\"]}")
  has 'the skill has no file'
  lacks "secret-words"
  out=$(tool skill_eval "{\"skill\":\"$PWD/greet\",\"tests\":\"tests.json\",\"model\":[\"scripted:student.json\"]}")
  has '"isError":true'
  out=$(tool skill_eval '{"skill":"greet","tests":"tests.json","model":["m"],"base_url":"http://10.0.0.1/v1"}')
  has 'only a person may name a server of another machine'
}

test_run_logs_reports_and_what_is_kept() {
  small_suite
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --runs 2 --output out \
    --html one.html --json
  for file in report.html junit.xml results.csv benchmark.json summary.md evaluation.json; do
    [[ -s out/$file ]] || fail "no $file"
  done
  cmp -s out/report.html one.html || fail "two reports of one evaluation differ"
  grep -q '<svg' one.html || fail "no picture"
  [[ $(find runs -name run_result.json | wc -l) == 4 ]] || fail "not a run for each arm and run"
  run 0 upskill runs --json
  has '"skill":"greet"'
  run 0 upskill report
  has "greet" "2 of 4 samples" "lift +50%"
  run 0 upskill report --verbose --html again.html
  has "failed"
  [[ -s again.html ]] || fail "no report of what is kept"
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --no-log-runs
  [[ $(find runs -name evaluation.json | wc -l) == 1 ]] || fail "it was logged"
  run 3 upskill report --id eval-nothing
  err_has "no such evaluation"
}

test_a_record_answers_in_place_of_the_model() {
  small_suite
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --record tape --no-log-runs --json
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --replay tape --no-log-runs --json
  has '"cached":4' '"with_skill":{"samples":2,"passed":2'
  rm tape/*
  run 3 upskill eval ./greet -t tests.json -m scripted:student.json --replay tape --no-log-runs
  err_has "nothing was measured" ".json"
}

test_models_and_runs_come_from_the_configuration() {
  small_suite
  cat >upskill.config.yaml <<'END'
eval_model: scripted:student.json
num_runs: 2
runs_dir: ./logs
END
  run 0 upskill eval ./greet -t tests.json
  has "Config source" "upskill.config.yaml" "2 runs" "logs/"
  echo 'eval_model: scripted:../student.json' >upskill.config.yaml
  run 3 upskill eval ./greet -t tests.json
  err_has "eval_model"
}

test_a_student_with_tools_picks_the_skill_and_works() {
  bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "bubblewrap does not work here"
  small_suite
  cat >tests.json <<'END'
{"cases": [{"input": "greet them", "output_file": "greeting.txt", "checks": [
  {"file_contains": {"path": "greeting.txt", "values": ["hello"]}},
  {"command": "grep -q hello greeting.txt"}]}]}
END
  cat >student.json <<'END'
{"rules": [
  {"turn": 0, "system": "/skills/greet", "calls": [{"name": "read_file", "arguments": {"path": "/skills/greet/SKILL.md"}}]},
  {"turn": 1, "user": "everybody", "calls": [{"name": "write_file", "arguments": {"path": "greeting.txt", "content": "hello"}}]},
  {"answer": "done"}]}
END
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --student agent --json -v
  has '"with_skill":{"samples":1,"passed":1' '"baseline":{"samples":1,"passed":0' \
    '"skill_used":true' '"student":"agent"' '"recall":{"value":1'
  echo '[{"query": "greet them", "should_trigger": true}, {"query": "other", "should_trigger": false}]' >q.json
  run 0 upskill eval ./greet -t q.json -m scripted:student.json --triggers --json
  has '"true_positives":1' '"false_positives":1' '"precision":{"value":0.5'
  lacks '"baseline":'
  run 2 upskill eval ./greet -t q.json -m scripted:student.json --student chat
  err_has "picks nothing"
}

test_a_student_with_tools_ends_with_the_time_of_all() {
  bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "bubblewrap does not work here"
  small_suite
  cat >student.json <<'END'
{"rules": [{"turn": 0, "calls": [{"name": "run", "arguments": {"command": "sleep 1000"}}]}, {"answer": "one"}]}
END
  # A command has a minute of its own.
  run 3 timeout 40 upskill eval ./greet -t tests.json -m scripted:student.json --student agent \
    --no-baseline --time-budget 1
  err_has "within 1 s"
}

test_a_judge_is_asked_and_spends_apart() {
  small_suite
  echo '{"cases": [{"input": "one", "checks": [{"judge": "Is it a greeting?"}]}]}' >tests.json
  cat >judge.json <<'END'
{"rules": [{"user": "hello", "answer": {"analysis": "a", "evidence": "hello", "verdict": "yes"}},
           {"answer": {"analysis": "a", "evidence": "it greets nobody", "verdict": "no"}}]}
END
  echo '{"rules": [{"system": "everybody", "answer": "hello"}, {"answer": "bye"}]}' >student.json
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --judge-model scripted:judge.json --json
  has '"with_skill":{"samples":1,"passed":1' '"baseline":{"samples":1,"passed":0'
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json
  err_has "no judge model is named" "--judge-model"
}

test_a_skill_without_cases_can_have_some_written() {
  small_suite
  cat >writer.json <<'END'
{"rules": [{"answer": {"cases": [{"input": "Greet the team.", "expected": {"contains": ["hello", "team"]}},
                                 {"input": "Greet a friend.", "expected": {"contains": ["hello", "friend"]}}]}}]}
END
  run 0 upskill eval ./greet -m scripted:student.json --test-gen-model scripted:writer.json --json
  has '"cases":2' 'wrote these test cases'
}

test_money_and_tokens_have_an_end() {
  small_suite
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json --runs 20 --token-budget 100 --jobs 1
  has "ended before its last sample" "the budget of 100 tokens has no room for another call" "missing"
}

test_what_cannot_end_well_is_told_before_anything_is_asked() {
  small_suite
  echo '{"rules": [{"fault": "unavailable"}]}' >student.json # whoever asks it fails
  run 3 upskill eval ./greet -t tests.json -m scripted:student.json --html nowhere/report.html
  err_has "nowhere"
  run 3 upskill benchmark ./greet -t tests.json -m scripted:student.json -m sonet
  err_has "sonet" "sonnet"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json --student chat --student agnet
  err_has "agnet"
  run 2 upskill eval ./greet -t tests.json -m scripted:student.json --budget 1e-320 --executor jobs
  err_has "executor"
  run 2 upskill eval ./greet -t tests.json --student cli.codex --budget 1
  err_has "coding agent"
}

test_a_gate_is_not_passed_by_what_was_not_seen() {
  small_suite
  echo '{"rules": [{"user": "one", "fault": "busy"}, {"answer": "hello"}]}' >student.json
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json
  run 1 upskill eval ./greet -t tests.json -m scripted:student.json --fail-under 0.5
  has "without an outcome"
  run 1 upskill eval ./greet -t tests.json -m scripted:student.json --no-baseline --fail-under 1
}

test_logs_that_cannot_be_written_lose_nothing() {
  small_suite
  echo "in the way" >runs
  run 0 upskill eval ./greet -t tests.json -m scripted:student.json
  has "2 of 2 samples" "warning: " "runs"
  run 0 upskill report
  has "2 of 2 samples"
}

# The test file is in the skill, and reached over a link: whoever opens the skill does not see it.
test_who_is_graded_never_sees_the_cases() {
  bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "bubblewrap does not work here"
  small_suite
  cp tests.json greet/my_cases.json
  cp -r greet old-greet
  ln -s "$PWD" link
  cat >student.json <<'END'
{"rules": [
  {"turn": 0, "calls": [{"name": "run", "arguments": {"command": "find /skills -type f; cat /skills/*/my_cases.json"}}]},
  {"user": "my_cases.json\n", "answer": "seen"},
  {"answer": "ONE hello"}]}
END
  run 0 upskill eval ./greet --tests link/greet/my_cases.json -m scripted:student.json --student agent \
    --against ./old-greet --json -v
  has '"passed":2'
  lacks '"output":"seen"'
}
