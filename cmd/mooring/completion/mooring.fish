# fish completion of mooring: the program itself answers what may stand at the cursor; nothing means a file.
function __mooring_words
  set -l found (mooring completion fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c mooring -f -a '(__mooring_words)'
