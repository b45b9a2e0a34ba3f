# runs: what is shown of the logs of evaluations, upskill's own among them.

fixtures=${BASH_SOURCE[0]%/*}/../fixtures
skill_name=kernel-builder-cuda-kernels

old_runs() {
  cp -r "$fixtures/upskill-runs" runs
}

test_runs_of_upskill_are_shown_by_their_newest_batch() {
  old_runs
  run 0 upskill runs -s $skill_name
  has "Config source: defaults" "$skill_name" "sonnet" "haiku" "baseline" "with skill" \
    "████████████░░░░░░░░" "60%" "100%" "(+40%)" "80%" "2026-05-26 09:14"
  run 0 upskill runs -s $skill_name --json
  has '"batch":"2026_05_26_09_12"' '"rate":0.8' '"lift":0.4' '"runs":4'
  lacks '"unknown"'
}

test_plot_is_another_name_for_runs() {
  old_runs
  run 0 upskill runs
  local shown=$out
  run 0 upskill plot
  [[ $out == "$shown" ]] || fail "plot shows: $out"
  run 0 upskill plot --help
  has "upskill runs"
  run 0 upskill help
  has "runs"
  lacks "plot"
}

test_several_skills_and_models_are_a_matrix() {
  old_runs
  run 0 upskill runs
  has "SKILL" "haiku" "sonnet" "60%→100%" "a skill that is not told" "90% ?"
  run 0 upskill runs -m sonnet --metric tokens
  has "8,300" "11,200" "(+35%)" "tokens of a run"
  run 0 upskill runs --metric tokens
  has "8,300→11,200"
}

test_a_table_of_all_runs() {
  old_runs
  run 0 upskill runs --csv all.csv
  has "7 runs written to"
  [[ $(wc -l <all.csv) == 8 ]] || fail "$(cat all.csv)"
  [[ $(head -n 1 all.csv) == batch_id,run_number,model,task,*,run_type,skill_name,skill_hash,cases_hash,student? ]] ||
    fail "$(head -n 1 all.csv)"
  run 0 upskill runs -m haiku -s $skill_name --csv some.csv
  [[ $(grep -c haiku some.csv) == 2 ]] || fail "$(cat some.csv)"
}

test_where_nothing_is_that_is_told() {
  run 0 upskill runs
  has "no runs in" "/runs" "upskill eval"
  run 3 upskill runs -d nowhere
  err_has "nowhere"
  old_runs
  run 0 upskill runs -s no-such-skill
  has "no runs"
  out=$out$err
  has "no run of the skill \`no-such-skill\`; there are runs of \`$skill_name\`"
}

test_broken_logs_are_named_and_the_rest_is_shown() {
  old_runs
  chmod -R u+w runs
  echo '{"passed": "yes"}' >runs/2026_05_26_09_12/run_1/run_result.json
  rm runs/2026_05_26_09_12/run_2/run_result.json
  ln -s /etc/passwd runs/2026_05_26_09_12/run_2/run_result.json
  run 0 upskill runs -s $skill_name
  has "sonnet" "60%"
  out=$out$err
  has "2026_05_26_09_12/run_1" "\`passed\`" "2026_05_26_09_12/run_2" "is a link"
  lacks "root:"
}

test_the_configuration_says_where_runs_are() {
  cp -r "$fixtures/upskill-runs" mine
  echo "runs_dir: mine" >upskill.config.yaml
  run 0 upskill runs -m sonnet
  has "Config source: " "upskill.config.yaml" "60%"
  echo "runs_dir: ../elsewhere" >upskill.config.yaml
  run 3 upskill runs
  err_has "runs_dir" "project"
  rm upskill.config.yaml
  mkdir -p ~/.config/upskill
  echo "runs_dir: $PWD/mine" >~/.config/upskill/config.yaml
  run 0 upskill runs -m sonnet
  has "~/.config/upskill/config.yaml" "60%"
  echo "runs_dr: mine" >named.yaml
  run 0 env UPSKILL_CONFIG=named.yaml upskill runs
  out=$out$err
  has "named.yaml" "did you mean \`runs_dir\`?"
  run 3 upskill runs --config nowhere.yaml
  err_has "nowhere.yaml"
}

test_agents_have_no_such_tool() {
  old_runs
  out=$(tool runs "{\"dir\":\"$PWD/runs\",\"csv\":\"$PWD/agent.csv\"}")
  lacks "haiku"
  out=$(tool job "{\"action\":\"start\",\"tool\":\"runs\",\"arguments\":{\"dir\":\"$PWD/runs\",\"csv\":\"$PWD/agent.csv\"},\"wait\":10}")
  lacks "haiku"
  absent agent.csv
}
