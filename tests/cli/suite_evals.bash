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
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --samples --json
  has '"case":"2","arm":"baseline","run":1,"outcome":"failed"' '"output":"Hello!"'
}

test_without_a_baseline_nothing_is_compared() {
  small_suite
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --no-baseline
  has "with skill" "2 of 2 samples"
  lacks "baseline" "lift"
}

test_errors_are_no_failures() {
  small_suite
  cat >student.json <<'END'
{"rules": [{"user": "one", "fault": "busy"}, {"answer": "hello"}]}
END
  run 0 upskill eval ./greet --tests tests.json --model scripted:student.json --json
  has '"samples":1,"passed":1,"errors":1' '"rate":1'
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
  run 2 upskill eval ./greet --tests tests.json
  err_has "--model"
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
