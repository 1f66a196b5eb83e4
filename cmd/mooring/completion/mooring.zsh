#compdef mooring
# zsh completion of mooring: the program itself answers what may stand at the cursor; nothing means a file.
_mooring() {
  local line
  local -a found
  for line in "${(@f)$("${words[1]}" completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( ${#found} )); then
    _describe mooring found
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _mooring ]]; then
  _mooring "$@" # loaded from a folder of $fpath
else
  compdef _mooring mooring # read by source
fi
