# eval against servers of models over HTTP: good ones, and such that are broken or meant badly. They
# are tests/model_server, a process of its own.

# Two cases: the first one is answered, at the second one the server misbehaves.
two_cases() {
  skill . greet "marker-of-the-skill"
  cat >tests.json <<'END'
{"cases": [{"input": "good", "expected": {"contains": ["pass"]}},
           {"input": "poison", "expected": {"contains": ["pass"]}}]}
END
}

# evaluate NAME [OPTION]...: with a server that misbehaves in this way.
evaluate() {
  local name=$1
  shift
  run 0 env GENERIC_API_KEY=sk-not-to-be-seen upskill eval ./greet --tests tests.json \
    --model generic.m1 --base-url "$server/$name/v1" --no-baseline --verbose --json "$@"
}

# one_error NAME TEXT...: the case that it spoils is an error that says TEXT, and the other one counts.
one_error() {
  local name=$1
  shift
  evaluate "$name"
  has '"samples":1,"passed":1,"errors":1' '"case":"1","arm":"with_skill","run":1,"outcome":"passed"' \
    '"case":"2","arm":"with_skill","run":1,"outcome":"error"' "$@"
  lacks sk-not-to-be-seen
}

test_a_good_server_shows_both_arms_and_the_lift() {
  serve --base 0 --skill 1
  two_cases
  run 0 upskill eval ./greet --tests tests.json --model generic.m1 --base-url "$server/v1" --runs 3
  has "baseline" "with skill" "lift +100%" "tokens a sample 911"
  run 0 env GENERIC_BASE_URL="$server/v1" upskill eval ./greet --tests tests.json \
    --model generic.m1 --runs 3 --verbose --json
  has '"with_skill":{"samples":6,"passed":6,"errors":0' '"baseline":{"samples":6,"passed":0' \
    '"lift":{"value":1,' '"total":5466' '"cost":0' '"answered_by":"drawn"'
}

test_pages_in_place_of_answers() {
  serve
  two_cases
  one_error html 'answer is no JSON: `' 'Welcome to the hotel'
  lacks '<h1>'
  one_error html-error 'answered 403' 'Welcome to the hotel'
  one_error other-json 'has not the form of one'
  one_error deep-json 'is no JSON'
}

test_answers_that_end_too_early() {
  serve
  two_cases
  one_error cut 'was cut off'
  one_error cut-length 'cut the connection'
  one_error fails-within 'out of memory'
  one_error nothing 'was cut off'
}

test_answers_without_measure() {
  serve
  two_cases
  evaluate ten-megabytes # long, and all right
  has '"samples":2,"passed":2,"errors":0'
  ((${#out} < 100000)) || fail "${#out} bytes were printed"
  one_error forty-megabytes 'longer than 16777216 bytes'
  one_error long-error 'longer than 16777216 bytes'
}

test_bytes_that_are_no_text() {
  serve
  two_cases
  evaluate no-text
  has '"samples":2,"passed":2,"errors":0'
  one_error terminal 'answered 400'
  lacks $'\e' '\u001b' $'\a'
}

test_keys_models_and_money() {
  serve
  two_cases
  one_error wrong-key 'answered 401' 'Incorrect API key provided: [hidden]'
  one_error unknown-model 'answered 404' 'does not exist'
  one_error quota 'insufficient_quota'
  one_error redirect 'answered 302'
}

test_a_busy_server_is_asked_again() {
  serve
  two_cases
  evaluate limited-once
  has '"samples":2,"passed":2,"errors":0'
  one_error limited 'answered 429' 'slow down'
  one_error limited-long 'answered 429' # nobody waits for a week
}

test_nothing_but_errors_is_no_result() {
  serve --misbehaves-at model
  two_cases
  run 3 env GENERIC_API_KEY=sk-not-to-be-seen upskill eval ./greet --tests tests.json \
    --model generic.m1 --base-url "$server/wrong-key/v1"
  err_has 'nothing was measured' 'answered 401' 'hint: ' 'key'
  [[ $err$out != *sk-not-to-be-seen* ]] || fail "the key was shown"
  run 3 upskill eval ./greet --tests tests.json --model generic.m1 \
    --base-url "$server/unknown-model/v1"
  err_has 'answered 404' '`m1`'
  run 3 upskill eval ./greet --tests tests.json --model generic.m1 --base-url "$server/html/v1"
  err_has 'no JSON' 'check the base URL'
}

test_the_log_holds_no_key() {
  serve
  two_cases
  one_error wrong-key 'answered 401'
  ! grep -rqF sk-not-to-be-seen ~ || fail "the key lies in $(grep -rlF sk-not-to-be-seen ~)"
}

test_one_model_that_is_down_leaves_the_other() {
  serve
  two_cases
  echo '{"cases": [{"input": "good", "expected": {"contains": ["pass"]}}]}' >tests.json
  run 1 env ANTHROPIC_API_KEY=sk-not-to-be-seen ANTHROPIC_BASE_URL=http://127.0.0.1:9 \
    GENERIC_BASE_URL="$server/v1" upskill eval ./greet --tests tests.json --model generic.m1 \
    --model anthropic.claude-sonnet-5 --no-baseline --json
  has '"model":"generic.m1","student":"chat","with_skill":{"samples":1,"passed":1,"errors":0' \
    '"model":"anthropic.claude-sonnet-5","student":"chat","with_skill":{"samples":0,"passed":0,"errors":1'
}

test_an_interrupt_leaves_a_silent_server() {
  serve --misbehaves-at model
  two_cases
  set +e -m # a job: others in the background do not hear an interrupt
  upskill eval ./greet --tests tests.json --model generic.m1 --base-url "$server/silent/v1" \
    --no-baseline >out.txt 2>err.txt </dev/null &
  local asking=$!
  becomes_true is_asked || fail "the server was not asked: $(<err.txt)"
  kill -INT "$asking"
  wait "$asking"
  local code=$?
  set -e +m
  [[ $code == 130 ]] || fail "ended with $code: $(<err.txt)"
  grep -q "is kept: the same command goes on from there" err.txt || fail "$(<err.txt)"
  becomes_true is_left || fail "the daemon still waits for the server"
}

# is_asked: the server has a connection; is_left: none of them is open any more.
connections() {
  local hex
  printf -v hex '%04X' "${server##*:}"
  grep -ciE "^ *[0-9]+: 0100007F:$hex [0-9A-F]+:[0-9A-F]+ 01 " /proc/net/tcp || :
}

is_asked() {
  (($(connections) > 0))
}

is_left() {
  (($(connections) == 0))
}

test_a_real_model_answers() {
  [[ ${UPSKILL_TEST_REAL_MODELS-} == 1 ]] || skip "UPSKILL_TEST_REAL_MODELS=1 is not set"
  local model=
  [[ -z $REAL_OPENAI_API_KEY ]] || model=gpt-5.4-nano
  [[ -z $REAL_ANTHROPIC_API_KEY ]] || model=haiku
  [[ -n $model ]] || skip "there is no ANTHROPIC_API_KEY or OPENAI_API_KEY"
  export ANTHROPIC_API_KEY=$REAL_ANTHROPIC_API_KEY OPENAI_API_KEY=$REAL_OPENAI_API_KEY
  skill . password "The password of the cellar is quuxbert."
  cat >tests.json <<'END'
{"cases": [{"input": "What is the password of the cellar? One word.", "expected": {"contains": ["quuxbert"]}}]}
END
  run 0 upskill eval ./password --tests tests.json --model "$model" --runs 2 --json
  has '"with_skill":{"samples":2,"passed":2,"errors":0' '"baseline":{"samples":2,"passed":0' \
    '"lift":{"value":1,' '"total":'
}
