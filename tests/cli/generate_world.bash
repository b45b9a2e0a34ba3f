# What the cases of generate and tuning may use: scripted models, where every answer is known, and
# tests/model_server as teacher and student, where it is counted what is asked.

marker=marker-of-the-skill
task="Answer the numbered questions"
saved=skills/drawn-lesson # where the teacher's skill goes unless told

# cases FIRST LAST: test cases of these numbers, which `pass` answers rightly.
cases() {
  local i list=
  for ((i = $1; i <= $2; i++)); do
    list+="${list:+, }{\"expected\": {\"contains\": [\"pass\"]}, \"input\": \"Question $i: what is to be done?\"}"
  done
  printf '{"cases": [%s]}' "$list"
}

# by_script: a teacher, a writer of test cases and a student who needs the skill, in files.
by_script=(-m scripted:teacher.json --test-gen-model scripted:writer.json
  --eval-model scripted:student.json)

scripted_world() {
  cat >teacher.json <<'FILE'
{"rules": [{"answer": "---\nname: drawn-lesson\ndescription: How numbered questions are answered. Use it for each of them.\n---\n\n# Numbered questions\n\nIts key is marker-of-the-skill.\n",
            "usage": {"input": 500, "output": 60}}]}
FILE
  # Asked for more, it is told of those that there are.
  printf '{"rules": [{"user": "Question 1:", "answer": %s}, {"answer": %s}]}' \
    "$(cases 21 40)" "$(cases 1 20)" >writer.json
  cat >student.json <<'FILE'
{"rules": [{"system": "marker-of-the-skill", "answer": "pass", "usage": {"input": 90, "output": 1}},
           {"answer": "no", "usage": {"input": 40, "output": 1}}]}
FILE
}

# spoilt_student FILE: who gets worse by the skill, and without it knows all but two answers: whatever
# two halves the cases fall into, the loss shows in the one that decides.
spoilt_student() {
  cat >"$1" <<'FILE'
{"rules": [{"system": "marker-of-the-skill", "answer": "no"}, {"user": "Question 2:", "answer": "no"},
           {"user": "Question 7:", "answer": "no"}, {"answer": "pass"}]}
FILE
}

# by_server [OPTION]...: a server that is teacher and student, and notes in `asked` what it is asked.
by_server() {
  serve --teacher --base 0 --skill 1 --requests asked "$@"
  with_server=(-m generic.m --base-url "$server/v1" --eval-base-url "$server/v1")
}

# How often somebody was asked: a student, a teacher for test cases, or for anything.
asked_students() { grep -c '"messages":\[{"content":"You are given a task\.' "$1" || :; }
asked_cases() { grep '"response_format":{' "$1" | grep -c '"cases":{' || :; }
asked_teacher() { grep -vc '"messages":\[{"content":"You are given a task\.' "$1" || :; }

# knows_answers: the last result says that some were known.
knows_answers() {
  [[ $out =~ \"cached\":[1-9] ]] || fail "nothing was known: $out"
}

# run_one_of CODES WORDS...: as `run`, where it is not decided how it ends; leaves that in $code.
run_one_of() {
  local codes=$1
  shift
  code=0
  "$@" >"$CASE_FOLDER/out" 2>"$CASE_FOLDER/err" </dev/null || code=$?
  out=$(<"$CASE_FOLDER/out") err=$(<"$CASE_FOLDER/err")
  [[ " $codes " == *" $code "* ]] || fail "$*: ended with $code, not one of $codes: $out $err"
}

# file_has FILE TEXT...: it holds each of them.
file_has() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "$file lacks: $text: $(head -c 2000 "$file")"
  done
}

# nothing_saved: no skill was written, nor half of one.
nothing_saved() {
  [[ ! -d skills || -z $(ls -A skills) ]] || fail "there is $(find skills)"
}

# was_asked COUNT: the server has been asked so often.
was_asked() {
  (($(wc -l <asked) >= $1))
}
