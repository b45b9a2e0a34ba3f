# changed: in CI, each skill that a git range touches is held against its version at the base.

# repository [OPTION]...: a repository with a skill of 20 test cases and one without any, and a model that
# passes 95 % of them where the skill has the word, 55 % where it has not. All questions are noted in `asked`.
repository() {
  : >asked
  serve --base 0.55 --skill 0.95 --marker MAGIC --requests asked "$@"
  mkdir repo
  cd repo
  git init -q -b main .
  git config user.name t
  git config user.email t@t.invalid
  with_cases skills/greet "Say MAGIC words."
  with_cases skills/other "Say MAGIC words, too."
  mkdir docs
  echo text >docs/readme.txt
  commit base
  git checkout -q -b topic
}

# with_cases FOLDER BODY
with_cases() {
  local i cases=
  mkdir -p "$1/evals"
  body "$1" "$2"
  for i in {1..20}; do
    cases+=${cases:+,}'{"id":"q'$i'","input":"Question '$i'","expected":"pass"}'
  done
  printf '{"cases":[%s]}\n' "$cases" >"$1/evals/evals.json"
}

# body FOLDER BODY
body() {
  printf -- '---\nname: %s\ndescription: What it does and when to use it.\n---\n\n%s\n' "${1##*/}" "$2" >"$1/SKILL.md"
}

commit() {
  git add -A
  git commit -q -m "$1"
}

changed() { # CODE [OPTION]...
  local code=$1
  shift
  run "$code" upskill eval --changed --base main -m generic.m --base-url "$server/v1" "$@"
}

asked() { wc -l <../asked; }

# untouched COMMAND...: what git knows and what lies there is the same before and behind it.
untouched() {
  local before=$(state_of_repository)
  "$@"
  [[ $(state_of_repository) == "$before" ]] || fail "the repository was changed"
}

state_of_repository() {
  find . -type f -not -path './.git/*' -printf '%p %m %T@\n' -exec sha256sum {} + | sort
  sha256sum .git/index .git/HEAD .git/config
  find .git -type f | sort
  GIT_OPTIONAL_LOCKS=0 git status --porcelain
}

test_a_worse_edit_ends_with_1() {
  repository
  body skills/greet "Say some words."
  commit worse
  untouched changed 1 --junit ../junit.xml --markdown ../summary.md
  has "greet  REGRESSED" "skills/greet: body" "generic.m" "1 skill became worse"
  lacks "other"
  grep -q '<failure message="worse than the base' ../junit.xml || fail "$(<../junit.xml)"
  grep -q 'tests="1" failures="1" errors="0" skipped="0"' ../junit.xml || fail "$(<../junit.xml)"
  grep -q '| greet | body | generic.m | .* | :x: \*\*REGRESSED\*\*' ../summary.md || fail "$(<../summary.md)"
  ! grep -q "too" ../asked || fail "another skill was asked"
}

test_an_edit_that_is_as_good_ends_with_0() {
  repository
  body skills/greet "Do say MAGIC words, and say them well."
  commit good
  changed 0 --json --junit ../junit.xml
  has '"verdict":"OK"' '"fate":"changed"' '"changed":["body"]' '"skill":"greet"'
  lacks '"skill":"other"' '"failed"'
  grep -q 'failures="0"' ../junit.xml || fail "$(<../junit.xml)"
}

test_a_second_run_asks_nobody() {
  repository
  body skills/greet "Say some words."
  changed 1
  local before=$(asked)
  ((before > 60)) || fail "$before questions"
  changed 1
  (($(asked) == before)) || fail "$(asked) questions, $before before"
  has "0 questions were asked"
}

test_what_nobody_notices_asks_nobody() {
  repository
  printf '\n\n' >>skills/greet/SKILL.md
  sed -i 's/Question 20/Question 21/' skills/other/evals/evals.json
  echo more >>docs/readme.txt
  changed 0
  has "nothing was changed that an agent notices" "only how it is tested was changed"
  (($(asked) == 0)) || fail "somebody was asked"
}

test_nothing_was_touched() {
  repository
  changed 0 --markdown ../summary.md
  has "no skill was touched"
  grep -q "No skill was touched" ../summary.md || fail "$(<../summary.md)"
}

test_a_dry_run_asks_nobody() {
  repository
  body skills/greet "Say some words."
  untouched changed 0 --dry-run --junit ../junit.xml
  has "greet" "420 samples" # 20 cases, 3 runs of the base and 18 of the new one
  (($(asked) == 0)) || fail "somebody was asked"
  absent ../junit.xml
}

test_a_dirty_work_tree_counts() {
  repository
  echo staged >skills/greet/staged.txt
  git add skills/greet/staged.txt
  body skills/other "Say some words."
  with_cases skills/fresh "Say MAGIC words."
  printf 'ignored/\n' >.gitignore
  with_cases ignored/skill "Say nothing."
  touch -d 2001-01-01 skills/greet/SKILL.md # the same in it, and an index would be refreshed
  untouched changed 0 --dry-run
  has "skills/greet: assets" "skills/other: body" "skills/fresh, new"
  lacks "ignored/skill"
}

test_a_removed_and_a_renamed_skill() {
  repository
  git rm -q -r skills/other
  git mv skills/greet skills/hello
  sed -i 's/^name: greet/name: hello/' skills/hello/SKILL.md
  commit moved
  changed 0 --json
  has '"path":"skills/other","fate":"removed"' '"path":"skills/hello","fate":"renamed","from":"skills/greet"'
  has '"changed":["name"]'
  lacks '"path":"skills/greet"'
  (($(asked) == 0)) || fail "only triggers would be asked"
  # The old version is what it is held against.
  body skills/hello "Say some words."
  changed 1
  has "hello  REGRESSED" "renamed from skills/greet: name, body"
}

test_new_skills_are_held_against_none() {
  repository
  with_cases skills/helps "Say MAGIC words here."
  changed 0
  has "helps  OK" "skills/helps, new" "as good as no skill"
  with_cases skills/bare "Say nothing."
  rm -r skills/bare/evals skills/helps
  changed 0 --fail-on-undecided
  has "bare  UNDECIDED" "no test"
}

test_a_new_skill_that_spoils_answers_is_a_regression() {
  : >asked
  serve --base 0.95 --skill 0.4 --marker POISON --requests asked
  mkdir repo
  cd repo
  git init -q -b main .
  git config user.name t
  git config user.email t@t.invalid
  echo text >readme
  commit base
  with_cases skills/spoils "Say POISON words."
  changed 1
  has "spoils  REGRESSED" "worse than no skill"
}

test_faults_fail_whatever_models_say() {
  repository
  sed -i 's/^description: .*/description: ""/' skills/greet/SKILL.md
  changed 1 --junit ../junit.xml
  has "New since the base: it is not valid" "1 skill is invalid or dangerous"
  grep -q 'is valid and not dangerous' ../junit.xml || fail "$(<../junit.xml)"
  # What it had before is nobody's fault.
  commit invalid
  git branch -f main
  echo x >skills/greet/notes.md
  changed 0 --dry-run
  lacks "New since the base"
}

test_only_some_skills() {
  repository
  body skills/greet "Say some words."
  body skills/other "Say some words."
  changed 0 --dry-run --skill skills/other --skill nobody
  has "skills/other" 'no skill `nobody` was touched'
  lacks "skills/greet"
}

test_a_summary_is_added_to_what_is_there() {
  repository
  echo "before" >../summary.md
  changed 0 --markdown ../summary.md
  [[ $(head -n 1 ../summary.md) == before ]] || fail "it was written over"
  changed 3 --junit /nowhere/junit.xml
  err_has "/nowhere"
}

test_hostile_names() {
  repository
  with_cases $'skills/-n\nx' "Say MAGIC words."
  commit name
  git branch -f main
  echo more >>$'skills/-n\nx/SKILL.md'
  untouched changed 0 --dry-run --json
  has '"path":"skills/-n\nx"'
}

test_what_cannot_be_done() {
  repository
  run 2 upskill eval --changed -m generic.m
  err_has "--base" "is missing"
  run 3 upskill eval --changed --base nowhere -m generic.m
  err_has "nowhere" "git fetch"
  run 2 upskill eval --changed --base=--upload-pack=x -m generic.m
  err_has "is no git ref"
  run 3 upskill eval --changed --base main -m generic.m --folder ..
  err_has "is in no git repository"
  body skills/greet "Say some words."
  run 3 upskill eval --changed --base main -m no-such-model
  err_has "no-such-model"
}

test_a_budget_ends_it_undecided() {
  repository
  body skills/greet "Say some words."
  changed 0 --token-budget 1
  has "greet  UNDECIDED" "ended early"
  changed 1 --token-budget 1 --fail-on-undecided
  has "1 skill is undecided"
}

test_a_shallow_clone_is_told_what_it_lacks() {
  repository
  body skills/greet "Say some words."
  commit worse
  git clone -q --depth 1 "file://$PWD" ../shallow
  cd ../shallow
  run 3 upskill eval --changed --base origin/main -m generic.m
  err_has "shallow" "fetch-depth: 0"
}

test_links_and_modes_are_those_of_git() {
  repository
  printf '#!/bin/sh\n' >skills/greet/run.sh
  chmod +x skills/greet/run.sh
  ln -s run.sh skills/greet/link
  commit more
  git branch -f main
  chmod -x skills/greet/run.sh
  ln -sf SKILL.md skills/greet/link
  changed 0 --dry-run --json
  has '"changed":["assets"]'
  git checkout -q skills
  changed 0 --dry-run --json
  has '"skills":[]'
}
