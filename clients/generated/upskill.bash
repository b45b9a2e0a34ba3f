# bash completion for upskill; written by `upskill completion bash`
_upskill_second() {
  case $1 in
    sync) words="conflicts enable disable status plan now log undo resolve wait" ;;
    inbox) words="list accept decline" ;;
    trace) words="list search show import export distill allow purge capture" ;;
    daemon) words="status stop logs run start unit" ;;
  esac
}
_upskill() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command="" word options="" words="" paths="" skills=""
  local i last="" place=0
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    if [[ -z $command ]]; then command=$word
    elif [[ $command == @(sync|inbox|trace|daemon) || "$command $word" == @('eval accept'|'eval changed'|'watch run'|'watch cancel'|'watch status'|'runs history'|'setup remove') ]]; then command+=" $word"
    else last=$word; ((place++)); fi
  done
  case $command:$previous in
    *:--config) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--agent) COMPREPLY=($(compgen -W "$(upskill daemon status >/dev/null 2>&1 && upskill agents --all 2>/dev/null | while read -r agent rest; do [ "$agent" = AGENT ] || echo "$agent"; done)" -- "$current")); return ;;
    *:--scope) COMPREPLY=($(compgen -W "user project" -- "$current")); return ;;
    *:--project) COMPREPLY=($(compgen -f -- "$current")); return ;;
    'update':--take) COMPREPLY=($(compgen -W "merge theirs mine" -- "$current")); return ;;
    'scan':--format) COMPREPLY=($(compgen -W "text sarif" -- "$current")); return ;;
    *:--output) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--source) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--tests) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--student) COMPREPLY=($(compgen -W "chat agent cli.claude-code cli.codex cli.gemini cli.opencode cli.copilot cli.cursor" -- "$current")); return ;;
    *:--against) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--runs-dir) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--html) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--junit) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--csv) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--benchmark-json) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--record) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--replay) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--dir) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--metric) COMPREPLY=($(compgen -W "success tokens" -- "$current")); return ;;
    *:--from) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *:--outcome) COMPREPLY=($(compgen -W "unknown done approved corrected failed interrupted" -- "$current")); return ;;
    *:--paths) COMPREPLY=($(compgen -f -- "$current")); return ;;
    'trace export':--format) COMPREPLY=($(compgen -W "sts atif markdown" -- "$current")); return ;;
    *:--action) COMPREPLY=($(compgen -W "status on off" -- "$current")); return ;;
    *:--policy) COMPREPLY=($(compgen -W "cover mirror" -- "$current")); return ;;
    *:--without) COMPREPLY=($(compgen -W "$(upskill daemon status >/dev/null 2>&1 && upskill agents --all 2>/dev/null | while read -r agent rest; do [ "$agent" = AGENT ] || echo "$agent"; done)" -- "$current")); return ;;
    'sync enable':--link) COMPREPLY=($(compgen -W "$(upskill daemon status >/dev/null 2>&1 && upskill agents --all 2>/dev/null | while read -r agent rest; do [ "$agent" = AGENT ] || echo "$agent"; done)" -- "$current")); return ;;
    'sync resolve':--take) COMPREPLY=($(compgen -W "winner loser delete restore" -- "$current")); return ;;
    *:--log) COMPREPLY=($(compgen -W "error warning info verbose" -- "$current")); return ;;
  esac
  case $command in
    "") words="status list show validate sync install update outdated remove rollback scan find pack init eval benchmark watch report runs generate propose inbox trace setup agents doctor daemon mcp hook completion man help" options="--json --yes --private --config --no-color --help --version" ;;
    "sync") words="conflicts enable disable status plan now log undo resolve wait" options="--help" ;;
    "inbox") words="list accept decline" options="--help" ;;
    "trace") words="list search show import export distill allow purge capture" options="--help" ;;
    "daemon") words="status stop logs run start unit" options="--help" ;;
    "status") options="--json --private --config --no-color --help" ;;
    "list") options="--query --agent --scope --replicas --limit --cursor --json --private --config --no-color --help" ;;
    "show") case $place in 0) skills=1 ;; esac; options="--json --private --config --no-color --help" ;;
    "validate") case $place in *) paths=1 ;; esac; options="--json --private --config --no-color --help" ;;
    "sync conflicts") case $place in 0) skills=1 ;; esac; options="--skill --json --private --config --no-color --help" ;;
    "install") case $place in 0) paths=1 ;; esac; options="--skill --all --agent --scope --project --link --copy --as --replace --allow --full-depth --plan --dry-run --verbose --json --yes --private --config --no-color --help" ;;
    "update") case $place in *) skills=1 ;; esac; options="--skill --scope --project --check --take --allow --plan --dry-run --verbose --json --yes --private --config --no-color --help" ;;
    "outdated") case $place in *) skills=1 ;; esac; options="--skill --scope --project --json --private --config --no-color --help" ;;
    "remove") case $place in *) skills=1 ;; esac; options="--agent --scope --project --dry-run --json --yes --private --config --no-color --help" ;;
    "rollback") case $place in 0) skills=1 ;; esac; options="--to --scope --project --list --dry-run --json --yes --private --config --no-color --help" ;;
    "scan") case $place in *) paths=1 ;; esac; options="--format --output --allow --verbose --json --private --config --no-color --help" ;;
    "find") options="--source --refresh --limit --json --private --config --no-color --help" ;;
    "pack") case $place in 0) skills=1 ;; esac; options="--output --dry-run --json --yes --private --config --no-color --help" ;;
    "init") options="--description --output --dry-run --json --yes --private --config --no-color --help" ;;
    "eval") case $place in 0) skills=1; words="accept changed" ;; 0) skills=1 ;; esac; options="--tests --model --student --runs --triggers --no-baseline --against --with --verbose --jobs --seed --fresh --budget --token-budget --time-budget --base-url --no-sandbox --judge-model --test-gen-model --fail-under --fail-on-undecided --log-runs --no-log-runs --runs-dir --output --html --junit --csv --benchmark-json --record --replay --executor --changed --json --private --config --no-color --help" ;;
    "benchmark") case $place in 0) skills=1 ;; esac; options="--tests --model --student --runs --triggers --no-baseline --against --with --verbose --jobs --seed --fresh --budget --token-budget --time-budget --base-url --no-sandbox --judge-model --test-gen-model --fail-under --fail-on-undecided --log-runs --no-log-runs --runs-dir --output --html --junit --csv --benchmark-json --record --replay --executor --json --private --config --no-color --help" ;;
    "eval accept") case $place in 0) skills=1 ;; esac; options="--model --student --runs --judge-model --base-url --no-sandbox --jobs --budget --dry-run --json --yes --private --config --no-color --help" ;;
    "eval changed") options="--base --folder --skill --model --student --runs --judge-model --base-url --no-sandbox --jobs --budget --token-budget --junit --markdown --fail-on-undecided --dry-run --json --private --config --no-color --help" ;;
    "watch run") case $place in 0) skills=1 ;; esac; options="--json --private --config --no-color --help" ;;
    "watch cancel") case $place in 0) skills=1 ;; esac; options="--json --private --config --no-color --help" ;;
    "watch status") case $place in *) skills=1 ;; esac; options="--skill --after --wait-ms --json --private --config --no-color --help" ;;
    "report") options="--id --skill --verbose --html --json --private --config --no-color --help" ;;
    "runs") options="--dir --skill --model --metric --csv --history --json --private --config --no-color --help" ;;
    "runs history") case $place in 0) skills=1 ;; esac; options="--skill --limit --from --to --json --private --config --no-color --help" ;;
    "generate") options="--example --tool --from --model --test-gen-model --eval-model --base-url --eval-base-url --student --judge-model --output --no-eval --keep-anyway --dry-run --candidates --attempts --runs --cases --counterexamples --tune-description --evidence-tokens --verbose --jobs --seed --fresh --budget --token-budget --time-budget --log-runs --no-log-runs --runs-dir --record --replay --executor --propose --json --yes --private --config --no-color --help" ;;
    "propose") options="--model --base-url --agent --project --since --limit --dry-run --fresh --budget --json --yes --private --config --no-color --help" ;;
    "inbox list") options="--id --verbose --json --private --config --no-color --help" ;;
    "inbox accept") options="--output --dry-run --json --yes --private --config --no-color --help" ;;
    "inbox decline") options="--dry-run --json --yes --private --config --no-color --help" ;;
    "trace list") options="--agent --project --since --until --tool --skill --outcome --limit --cursor --json --private --config --no-color --help" ;;
    "trace search") options="--agent --project --since --until --tool --skill --outcome --limit --json --private --config --no-color --help" ;;
    "trace show") options="--offset --limit --all --json --private --config --no-color --help" ;;
    "trace import") case $place in *) paths=1 ;; esac; options="--paths --agent --since --raw --force --dry-run --json --yes --private --config --no-color --help" ;;
    "trace export") options="--format --output --json --private --config --no-color --help" ;;
    "trace distill") options="--tokens --output --json --private --config --no-color --help" ;;
    "trace allow") options="--rules --revoke --json --private --config --no-color --help" ;;
    "trace purge") options="--ids --agent --project --before --all --dry-run --json --yes --private --config --no-color --help" ;;
    "trace capture") case $place in 0) words="status on off" ;; esac; options="--action --agent --folder --days --megabytes --json --private --config --no-color --help" ;;
    "sync enable") options="--policy --agent --without --link --exclude --project --accept --dry-run --json --yes --private --config --no-color --help" ;;
    "sync disable") options="--project --dry-run --json --yes --private --config --no-color --help" ;;
    "sync status") case $place in 0) skills=1 ;; esac; options="--skill --check --json --private --config --no-color --help" ;;
    "sync plan") case $place in 0) skills=1 ;; esac; options="--skill --dry-run --json --private --config --no-color --help" ;;
    "sync now") case $place in 0) skills=1 ;; esac; options="--skill --dry-run --json --yes --private --config --no-color --help" ;;
    "sync log") case $place in 0) skills=1 ;; esac; options="--skill --limit --json --private --config --no-color --help" ;;
    "sync undo") options="--id --force --dry-run --json --yes --private --config --no-color --help" ;;
    "sync resolve") case $place in 0) skills=1 ;; 1) words="winner loser delete restore" ;; esac; options="--take --dry-run --json --yes --private --config --no-color --help" ;;
    "setup") options="--agent --no-hooks --no-mcp --scope --project --plan --dry-run --remove --json --yes --private --config --no-color --help" ;;
    "setup remove") options="--agent --scope --project --plan --dry-run --json --yes --private --config --no-color --help" ;;
    "agents") options="--all --json --private --config --no-color --help" ;;
    "doctor") options="--check --json --private --config --no-color --help" ;;
    "daemon status") options="--json --private --config --no-color --help" ;;
    "daemon stop") options="--json --private --config --no-color --help" ;;
    "daemon logs") options="--lines --follow --json --private --config --no-color --help" ;;
    "sync wait") options="--timeout-ms --json --private --config --no-color --help" ;;
    "watch") case $place in 0) skills=1; words="run cancel status" ;; *) skills=1 ;; esac; options="--skill --lines --json --no-color --help" ;;
    "daemon run") options="--log --http --log-file --mirror --trace --json --no-color --help" ;;
    "daemon start") options="--http --json --no-color --help" ;;
    "daemon unit") options="--json --no-color --help" ;;
    "mcp") options="--no-color --help" ;;
    "hook") options="--agent --no-color --help" ;;
    "completion") case $place in 0) words="bash zsh fish" ;; esac; options="--json --no-color --help" ;;
    "man") options="--json --no-color --help" ;;
    "help") case $place in 0) words="status list show validate sync install update outdated remove rollback scan find pack init eval benchmark watch report runs generate propose inbox trace setup agents doctor daemon mcp hook completion man help" ;; *) _upskill_second "$last" ;; esac; options="--command --json --no-color --help" ;;
  esac
  if [[ $current == -* ]]; then words=$options; paths=""; skills=""; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $skills ]]; then
    local folder
    for folder in ~/.agents/skills ~/.claude/skills; do
      [[ -d $folder ]] && COMPREPLY+=($(cd "$folder" && compgen -d -- "$current"))
    done
  fi
  if [[ -n $paths ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _upskill upskill
