# bash completion for upskill; written by `upskill completion bash`
_upskill() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command="" word options="" words="" paths="" skills=""
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* ]] && continue
    if [[ -z $command ]]; then command=$word
    elif [[ $command == @(sync|daemon) ]]; then command+=" $word"; break
    else break; fi
  done
  case $previous in
    --config) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --policy) COMPREPLY=($(compgen -W "cover mirror" -- "$current")); return ;;
    --project) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --log) COMPREPLY=($(compgen -W "error warning info verbose" -- "$current")); return ;;
  esac
  case $command in
    "") words="status list show validate sync agents doctor daemon mcp completion man help" options="--help --version" ;;
    "sync") words="conflicts enable disable status plan now log undo resolve wait" options="--help" ;;
    "daemon") words="status stop logs run start unit" options="--help" ;;
    "status") options="--json --private --config --no-color --help" ;;
    "list") options="--query --agent --scope --replicas --limit --cursor --json --private --config --no-color --help" ;;
    "show") skills=1; options="--json --private --config --no-color --help" ;;
    "validate") paths=1; options="--json --private --config --no-color --help" ;;
    "sync conflicts") skills=1; options="--skill --json --private --config --no-color --help" ;;
    "sync enable") options="--policy --agent --without --link --exclude --project --accept --dry-run --json --yes --private --config --no-color --help" ;;
    "sync disable") options="--project --dry-run --json --yes --private --config --no-color --help" ;;
    "sync status") skills=1; options="--skill --check --json --private --config --no-color --help" ;;
    "sync plan") skills=1; options="--skill --dry-run --json --private --config --no-color --help" ;;
    "sync now") skills=1; options="--skill --dry-run --json --yes --private --config --no-color --help" ;;
    "sync log") skills=1; options="--skill --limit --json --private --config --no-color --help" ;;
    "sync undo") options="--id --force --dry-run --json --yes --private --config --no-color --help" ;;
    "sync resolve") skills=1; options="--take --dry-run --json --yes --private --config --no-color --help" ;;
    "agents") options="--all --json --private --config --no-color --help" ;;
    "doctor") options="--check --json --private --config --no-color --help" ;;
    "daemon status") options="--json --private --config --no-color --help" ;;
    "daemon stop") options="--json --private --config --no-color --help" ;;
    "daemon logs") options="--lines --follow --json --private --config --no-color --help" ;;
    "sync wait") options="--timeout-ms --json --private --config --no-color --help" ;;
    "daemon run") options="--log --log-file --mirror --trace --json --no-color --help" ;;
    "daemon start") options="--json --no-color --help" ;;
    "daemon unit") options="--json --no-color --help" ;;
    "mcp") options="--no-color --help" ;;
    "completion") words="bash zsh fish"; options="--json --no-color --help" ;;
    "man") options="--json --no-color --help" ;;
    "help") words="status list show validate sync agents doctor daemon mcp completion man help"; options="--command --json --no-color --help" ;;
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
