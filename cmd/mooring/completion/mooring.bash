# bash completion of mooring: the program itself answers what may stand at the cursor; nothing means a file.
_mooring() {
  local found words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t found < <("${COMP_WORDS[0]}" completion bash -- "${words[@]}" 2>/dev/null | cut -f 1)
  mapfile -t COMPREPLY < <(IFS=$'\n' && compgen -W "${found[*]}" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _mooring mooring
