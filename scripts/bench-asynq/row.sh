# What the scripts share that compare Mooring with asynq: a table of the figures in $work/mooring.log and $work/asynq.log. To be sourced.

head() { printf '| what | Mooring | asynq | better | goal |\n|---|---|---|---|---|\n'; }

# row NAME TITLE GOAL more|less: a figure of both, and how many times better the first one is, where better means more or less.
row() {
  local mine theirs
  mine=$(awk -v n="$1" '$1 == "FIGURE" && $2 == n {v = $3} END {print v}' "$work/mooring.log")
  theirs=$(awk -v n="$1" '$1 == "FIGURE" && $2 == n {v = $3} END {print v}' "$work/asynq.log")
  awk -v m="$mine" -v t="$theirs" -v title="$2" -v goal="$3" -v better="$4" 'BEGIN {
    ratio = ""
    if (t != "" && m > 0 && t > 0) ratio = sprintf("%.1f ×", better == "more" ? m / t : t / m)
    printf "| %s | %.1f | %s | %s | %s |\n", title, m, t == "" ? "" : sprintf("%.1f", t), ratio, goal
  }'
}
