# list, show, validate, agents, doctor.

test_list_tells_projects_apart() {
  three_agents
  skill ~/.claude/skills foo
  skill ~/.claude/skills bar
  run 0 upskill list
  lacks "SCOPE"
  skill ~/project/.claude/skills foo
  run 0 upskill sync enable --project ~/project --yes
  run 0 upskill list
  [[ $(grep -c "^foo  *user " <<<"$out") == 1 ]] || fail "$out"
  [[ $(grep -c "^foo  *~/project " <<<"$out") == 1 ]] || fail "$out"
  has "SCOPE"
  run 0 upskill list --json
  has '"skill":"foo","scope":"user"' "\"scope\":\"$HOME/project\""
}

test_empty_list() {
  run 0 upskill list
  has "No skills were found"
  run 0 upskill list --json
  has '"skills":[]' '"total":0'
}

test_list_names_every_skill() {
  three_agents
  skill ~/.claude/skills pdf
  skill ~/.agents/skills docx
  run 0 upskill list
  has "pdf" "docx" "What pdf does"
  run 0 upskill list --json
  has '"total":2' '"skill":"docx"' '"skill":"pdf"'
}

test_list_of_one_agent() {
  three_agents
  skill ~/.claude/skills pdf
  skill ~/.codex/skills docx
  run 0 upskill list --agent claude-code --json
  has '"skill":"pdf"'
  lacks '"skill":"docx"'
}

test_list_by_words() {
  three_agents
  skill ~/.claude/skills pdf
  skill ~/.claude/skills docx
  run 0 upskill list pdf --json
  has '"total":1' '"skill":"pdf"'
}

test_list_in_pages() {
  three_agents
  for name in a b c; do skill ~/.claude/skills $name; done
  run 0 upskill list -n 2 --json
  has '"total":3' '"next_cursor":'
}

test_json_is_one_document_on_one_line() {
  run 0 upskill list --json
  [[ $(wc -l <"$CASE_FOLDER/out") == 1 ]] || fail "$(wc -l <"$CASE_FOLDER/out") lines"
  [[ -z $err ]] || fail "stderr: $err"
}

test_a_narrow_screen_holds_every_line() {
  three_agents
  skill ~/.claude/skills a-skill-with-a-rather-long-name
  run 0 upskill sync enable --yes
  local line words # awk counts bytes
  for words in list agents "sync log" "sync status"; do
    run 0 env COLUMNS=40 upskill $words
    while IFS= read -r line; do
      ((${#line} <= 40)) || fail "$out"
    done <"$CASE_FOLDER/out"
  done
}

test_errors_are_in_the_words_of_the_command_line() {
  run 2 upskill list -n 0
  err_has "\`--limit\` must be from 1 to 1000" "hint: "
  run 2 upskill list --scope nope
  err_has "\`--scope\` must be" "hint: "
  run 0 upskill status
  run 2 upskill daemon logs -n -1
  err_has "\`--lines\` is negative" "hint: "
  run 3 upskill show qqqqqq
  err_has "\`upskill list\` finds skills"
}

test_escape_sequences_are_not_shown() {
  three_agents
  skill ~/.claude/skills pdf
  printf -- '---\nname: pdf\ndescription: "a \\e[31mred\\e[0m \\a word"\n---\n' \
    >~/.claude/skills/pdf/SKILL.md
  run 0 upskill list
  lacks $'\e' $'\a'
  has "word"
}

test_show() {
  three_agents
  skill ~/.claude/skills pdf
  echo 'print("x")' >~/.claude/skills/pdf/split.py
  run 0 upskill show pdf
  has "SKILL.md" "split.py" "What pdf does"
  run 0 upskill show pdf --json
  has '"front_matter":"name: pdf' '"loaders":['
}

test_show_of_nothing() {
  run 3 upskill show nothing
  err_has "nothing"
}

test_validate_a_valid_one() {
  skill . pdf
  run 0 upskill validate pdf
  has "Valid skill: "
  [[ -z $err ]] || fail "stderr: $err"
}

test_validate_an_invalid_one() {
  skill . pdf
  mv pdf PDF
  sed -i 's/name: pdf/name: PDF/' PDF/SKILL.md
  run 1 upskill validate PDF
  err_has "Validation failed for " "  - Skill name 'PDF' must be lowercase"
  lacks "Valid skill"
  run 1 upskill validate PDF --json
  has '"valid":false' "must be lowercase"
}

test_validate_several() {
  skill . good
  mkdir bad
  echo "no front matter" >bad/SKILL.md
  run 1 upskill validate good bad
  has "Valid skill: "
  err_has "must start with YAML frontmatter"
}

test_validate_the_file_itself() {
  skill . pdf
  run 0 upskill validate pdf/SKILL.md
  has "Valid skill: "
}

test_agents() {
  three_agents
  run 0 upskill agents --json
  has '"agent":"claude-code"' '"agent":"codex"' '"agent":"cursor"'
  run 0 upskill agents
  has "claude-code" "codex" "cursor"
}

test_doctor_of_an_empty_home() {
  run 0 upskill doctor
  run 0 upskill doctor --json
  has '"healthy":'
}

test_doctor_tells_that_bubblewrap_is_missing() {
  bwrap_hidden true 2>/dev/null || skip "this machine lets nobody hide a program"
  three_agents
  skill ~/.agents/skills pdf
  run 0 bwrap_hidden upskill doctor --check --private
  has "all is well" "neither \`command\` checks nor the student \`agent\`" "no program \`bwrap\`" \
    "apt install bubblewrap"
  run 0 bwrap_hidden upskill doctor --private --json
  has '"healthy":true' '"check":"sandbox"'
}

test_doctor_says_nothing_of_a_sandbox_that_works() {
  bwrap --ro-bind / / --unshare-all true 2>/dev/null || skip "bubblewrap does not work here"
  run 0 upskill doctor --json
  lacks '"check":"sandbox"'
}

test_doctor_tells_duplicates() {
  three_agents
  skill ~/.agents/skills pdf
  skill ~/.cursor/skills pdf
  run 0 upskill doctor --json
  has '"times":2'
}
