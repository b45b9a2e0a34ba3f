# watch_trouble: a watched skill while somebody deletes, renames or keeps saving it, checks out another branch, or
# ends the model or the daemon in the middle of a test.

. "$(dirname "${BASH_SOURCE[0]}")/watch_world.bash"

# status_has TEXT: whether it is in what is known now.
status_has() {
  upskill watch status --json >status.json
  [[ $(<status.json) == *"$1"* ]]
}

becomes() {
  becomes_true status_has "$1" || fail "no $1: $(<status.json)"
}

# number FIELD: of the one skill, or its one subject.
number() {
  sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" status.json
}

# asked_of TEXT [FILE]: how many questions held it.
asked_of() {
  grep -c -- "$1" "${2-asked}" || :
}

# has_asked TEXT COUNT
has_asked() {
  (($(asked_of "$1") >= $2))
}

# away: the skill is moved out of all folders.
away() {
  mkdir away
  mv "$a/greet" away/0
  mv "$c/greet" away/1
  mv "$u/greet" away/2
}

no_verdict() {
  [[ $(<status.json) != *REGRESSED* && $(<status.json) != *'"verdict":"OK"'* ]] || fail "a verdict: $(<status.json)"
}

# long_test: a test of 120 samples, whatever they say, of a slow model that has 20 of them in flight: a drop of 5
# points is nothing that 6 runs of 20 cases can tell.
slow=(--base 0.6 --skill 0.6 --delay-ms 150)
samples=120 in_flight=20

long_test() {
  watched auto "${slow[@]}"
  printf 'watch:\n  mode: auto\n  runs: 6\n  thresholds:\n    drop: 0.05\n' >~/.config/upskill/config.yaml
  accept
  rewrite "Say other words." "$c"
}

# ends_whole BEFORE MORE: the test came to its end; what was answered before counts, what was in flight then is lost.
ends_whole() {
  verdict '"reason":"out_of_runs"'
  (($(number samples) == samples)) || fail "not $samples samples: $(<status.json)"
  local before=$1 more
  more=$("${@:2}")
  ((more > 0 && before + more <= samples + in_flight)) || fail "$before questions and $more more for $samples samples"
}

more_asked() {
  echo $(($(asked_of "other words") - $1))
}

test_a_skill_that_is_deleted_while_it_is_tested_is_gone() {
  long_test
  becomes_true has_asked "other words" 20 || fail "nobody was asked"
  away
  wait_idle
  becomes '"state":"gone"'
  no_verdict
  local before=$(asked)
  # It is at rest: another look asks nobody either.
  wait_idle
  status_has '"state":"gone"' || fail "$(<status.json)"
  (($(asked) == before)) || fail "$(asked) questions, $before before"
}

test_a_skill_that_comes_back_is_tested_to_the_end() {
  long_test
  becomes_true has_asked "other words" 40 || fail "nobody was asked"
  away
  wait_idle
  becomes '"state":"gone"'
  local before=$(asked_of "other words")
  mv away/2 "$u/greet"
  wait_idle
  ends_whole "$before" more_asked "$before"
}

test_a_renamed_skill_is_gone_and_the_new_one_is_not_watched() {
  long_test
  becomes_true has_asked "other words" 20 || fail "nobody was asked"
  mv "$c/greet" "$c/welcome"
  sed -i 's/^name: .*/name: welcome/' "$c/welcome/SKILL.md"
  wait_idle
  becomes '"state":"gone"'
  no_verdict
  [[ $(<status.json) == *'"skill":"welcome"'*'"reason":"nothing_accepted"'* ]] || fail "$(<status.json)"
}

test_who_saves_again_and_again_gets_one_verdict_of_the_last() {
  watched auto
  accept
  local i
  for i in {1..30}; do
    rewrite "Say MAGIC words $i." "$c"
    sleep 0.1 # the pace of the person
  done
  rewrite "Say the last words." "$c"
  wait_idle
  verdict '"verdict":"REGRESSED"'
  grep -q "last words" "$u/greet/SKILL.md" || fail "it was not synced"
  # Who is still writing is waited for: what all versions share is not spent by each save.
  local look=$(number look)
  ((look <= 4)) || fail "look $look: $(<status.json)"
  # No test of an older version goes on.
  local before=$(asked)
  wait_idle
  (($(asked) == before)) || fail "$(asked) questions, $before before"
}

# repository COUNT: ~/code with so many skills in .claude/skills, and another version of them in the
# branch `other`; in sync, all accepted.
repository() {
  local i
  mkdir -p ~/code/.claude/skills
  for ((i = 1; i <= $1; i++)); do
    skill ~/code/.claude/skills "s$i" "Say MAGIC words $i."
    mkdir ~/code/.claude/skills/"s$i"/evals
    printf '{"cases":[{"id":"q","input":"Question %d","expected":"pass"}]}' "$i" \
      >~/code/.claude/skills/"s$i"/evals/evals.json
  done
  export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  git -C ~/code init -q -b main
  printf '.agents\n.cursor\n' >~/code/.gitignore
  git -C ~/code add .
  git -C ~/code commit -qm one
  git -C ~/code checkout -qb other
  sed -i 's/MAGIC/other/' ~/code/.claude/skills/*/SKILL.md
  git -C ~/code commit -qam two
  git -C ~/code checkout -q main
  run 0 upskill sync enable --project ~/code --yes
  wait_idle
  (cd ~/code && seq "$1" | xargs -P 4 -I{} upskill eval accept s{} -m generic.m --base-url "$server/v1" --runs 1 >"$CASE_FOLDER/accepted")
}

all_wait() {
  upskill watch status --json >status.json
  (($(grep -o '"state":"waiting"' status.json | wc -l) == $1))
}

test_a_checkout_of_300_changed_skills_is_a_plan_and_costs_nothing() {
  [[ $(type -P git) ]] || skip "this machine has no git"
  watched auto --base 1 --skill 1
  repository 300
  local before=$(asked)
  git -C ~/code checkout -q other
  wait_idle
  becomes_true all_wait 300 || fail "$(grep -o '"state":"[a-z]*"' status.json | sort | uniq -c)"
  (($(asked) == before)) || fail "$(asked) questions, $before before"
  status_has "skills were changed at once" || fail "no word of it: $(head -c 2000 status.json)"
  # Whoever says go for one goes for that one alone.
  run 0 upskill watch run s7
  becomes_true all_wait 299 || fail "$(grep -o '"state":"[a-z]*"' status.json | sort | uniq -c)"
  [[ $(tail -n "+$((before + 1))" asked | grep -vc "Question 7\"") == 0 ]] || fail "others were asked, too"
  # Back again all are the accepted ones.
  git -C ~/code checkout -q main
  wait_idle
  becomes_true all_wait 0 || fail "$(grep -o '"state":"[a-z]*"' status.json | sort | uniq -c)"
}

# Git may be held up between two files for as long as it takes; by its lock it says that there is more to come.
test_a_checkout_that_is_slow_is_one_change() {
  [[ $(type -P git) ]] || skip "this machine has no git"
  watched auto --base 1 --skill 1
  repository 25
  local before=$(asked) i
  touch ~/code/.git/index.lock
  sed -i 's/MAGIC/other/' ~/code/.claude/skills/s1/SKILL.md
  becomes '"state":"testing"'
  for i in {2..25}; do
    sed -i 's/MAGIC/other/' ~/code/.claude/skills/s"$i"/SKILL.md
  done
  rm ~/code/.git/index.lock
  becomes_true all_wait 25 || fail "$(grep -o '"state":"[a-z]*"' status.json | sort | uniq -c)"
  (($(asked) == before)) || fail "$(asked) questions, $before before"
}

test_a_model_that_goes_away_is_no_regression() {
  long_test
  becomes_true has_asked "other words" 60 || fail "nobody was asked"
  kill -9 "${server_pids[-1]}"
  local before=$(asked_of "other words") port=${server##*:}
  verdict '"reason":"errors"'
  no_verdict
  run 0 upskill watch status
  has UNDECIDED
  serve "${slow[@]}" --port "$port" --marker MAGIC --requests asked_again
  run 0 upskill watch run greet
  ends_whole "$before" asked_of "other words" asked_again
}

test_a_daemon_that_is_killed_goes_on_and_asks_nothing_twice() {
  long_test
  becomes_true has_asked "other words" 60 || fail "nobody was asked"
  local pid=$(daemon_pid)
  kill -9 "$pid"
  until_gone "$pid"
  local before=$(asked_of "other words")
  ends_whole "$before" more_asked "$before"
}
