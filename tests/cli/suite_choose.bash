# What a person at a terminal sees of install, update and remove: the list to choose from in a window
# that tmux makes, the plan and the questions.

. "$(dirname "${BASH_SOURCE[0]}")/update_world.bash"
. "$(dirname "${BASH_SOURCE[0]}")/window.bash"

a_shop() {
  three_agents
  local name
  for name in csv docx pdf xlsx; do
    skill "$s" $name
  done
}

# installing [WORDS]: `upskill install` of the shop in a window.
installing() {
  in_window 80 50 "upskill install $s ${1-}"
}

test_skills_are_chosen_seen_and_installed() {
  a_shop
  installing
  shows "Skills of" "[ ] csv" "What pdf does" "0 of 4 chosen"
  keys j Space
  shows "[x] docx" "1 of 4 chosen"
  keys /
  keys pd
  shows "/pd_"
  keys Enter Space
  shows "[x] pdf"
  keys Enter
  shows "What would be installed" "docx" "pdf" "Install 2 skills? [y/N]"
  absent "$c/pdf"
  keys y Enter
  ended_with 0
  same "$s/pdf" "$c/pdf"
  same "$s/docx" "$a/docx"
  absent "$c/csv"
}

test_all_and_no() {
  a_shop
  installing
  shows "[ ] csv"
  keys a
  shows "4 of 4 chosen"
  keys Enter
  shows "Install 4 skills? [y/N]"
  keys n Enter
  ended_with 0
  shows "Nothing was changed."
  absent "$c"
}

test_q_and_ctrl_c_give_the_terminal_back() {
  a_shop
  installing
  shows "[ ] csv"
  keys Space q
  ended_with 0
  absent "$c"
  rm code
  installing
  shows "[ ] csv"
  keys C-c
  ended_with 130
  absent "$c"
}

test_signals_give_the_terminal_back() {
  a_shop
  local signal
  for signal in TERM HUP; do
    rm -f code
    installing
    shows "[ ] csv"
    kill -"$signal" "$(<pid)"
    ended_with 130
  done
}

test_the_list_follows_the_window() {
  three_agents
  local i
  for i in {100..160}; do skill "$s" "skill-$i"; done
  installing
  shows "skill-100" "more"
  keys End
  shows "> [ ] skill-160"
  in_tmux resize-window -x 50 -y 8
  shows "> [ ] skill-160"
  is_not_shown "skill-140" || fail "$(<picture)"
  in_tmux resize-window -x 20 -y 3
  shows "This window"
  in_tmux resize-window -x 80 -y 50 # as it was, which `before` and `after` have in them
  shows "> [ ] skill-160" "skill-140"
  keys q
  ended_with 0
}

test_ctrl_z_stops_it_and_fg_brings_it_back() {
  a_shop
  window 80 24 "bash --norc --noprofile"
  keys "PS1='ready> '" Enter
  shows "ready>"
  keys "upskill install $s" Enter
  shows "[ ] csv"
  keys C-z
  shows "Stopped" "ready>"
  keys "fg" Enter
  shows "[ ] csv"
  keys q
  shows "Nothing was changed."
}

test_a_plain_terminal_is_asked_by_numbers() {
  a_shop
  in_window 80 60 "TERM=dumb upskill install $s"
  shows "Which ones?" "csv"
  keys 9 Enter
  shows "\`9\` is not in the list"
  keys "1, pdf" Enter
  shows "Install 2 skills? [y/N]"
  keys y Enter
  ended_with 0
  [[ -d $c/csv && -d $c/pdf ]] || fail "$(ls "$c")"
}

test_without_a_terminal_nothing_is_chosen_for_you() {
  a_shop
  run 2 upskill install "$s"
  has "4 skills" "csv" "--skill NAME" "--all"
  absent "$c"
  run 2 upskill install "$s" --yes --json
  has '"choose":true'
  run 0 upskill install "$s" --dry-run
  absent "$c"
}

test_a_taken_name_is_asked_about() {
  a_source pdf
  skill ~/other pdf "Another."
  in_window 80 60 "upskill install ~/other"
  shows "name is taken" "or a new name?"
  keys pdf-two Enter
  shows "Install 1 skill? [y/N]"
  keys y Enter
  ended_with 0
  grep -qx "Another." "$c/pdf-two/SKILL.md" || fail "$(cat "$c/pdf-two/SKILL.md")"
  grep -qx "name: pdf-two" "$c/pdf-two/SKILL.md" || fail "$(cat "$c/pdf-two/SKILL.md")"
  same "$s/pdf" "$c/pdf"
}

test_a_taken_name_is_replaced_or_kept() {
  a_source pdf
  skill ~/other pdf "Another."
  in_window 80 60 "upskill install ~/other"
  shows "or a new name?"
  keys Enter
  ended_with 0
  same "$s/pdf" "$c/pdf"
  rm code
  in_window 80 60 "upskill install ~/other"
  shows "or a new name?"
  keys r Enter
  shows "Install 1 skill? [y/N]"
  keys y Enter
  ended_with 0
  same ~/other/pdf "$c/pdf"
  run 0 upskill rollback pdf --yes
  same "$s/pdf" "$c/pdf"
}

test_update_shows_the_difference_and_asks() {
  a_source pdf
  edit "$s/pdf/SKILL.md" "Two." "Two of theirs."
  in_window 80 60 "upskill update"
  shows "-Two." "+Two of theirs." "Do this? [y/N]"
  keys y Enter
  ended_with 0
  everywhere pdf "Two of theirs."
}

test_only_what_was_shown_is_installed() {
  a_source pdf
  edit "$s/pdf/SKILL.md" "Two." "Two of theirs."
  in_window 80 60 "upskill update"
  shows "Do this? [y/N]"
  edit "$s/pdf/SKILL.md" "Two of theirs." "Something else."
  keys y Enter
  ended_with 3
  shows "it has changed since it was shown"
  everywhere pdf "Two."
}

test_remove_shows_what_goes_and_asks() {
  a_source pdf
  in_window 80 60 "upskill remove pdf"
  shows "What would be removed" ".claude/skills/pdf" "Do this? [y/N]"
  keys n Enter
  ended_with 0
  [[ -d $c/pdf ]] || fail "it went"
}
