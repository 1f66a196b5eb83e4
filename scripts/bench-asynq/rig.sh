# What the scripts share that compare Mooring with asynq, to be sourced: a redis-server of their own, both programs, and a table of their figures.

work=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no --dir "$work" --logfile "$work/redis.log" &
started=($!) # processes to end
trap 'kill "${started[@]}"; wait "${started[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
go test -tags nomsgpack -c -o "$work/mooring" ./refresh
(cd scripts/bench-asynq && go build -o "$work/asynq" .)
until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done

# mooring TEST has a benchmark of ours print its figures; MOORING_BENCH_REDIS has it use the server.
mooring() {
  (cd refresh && "$work/mooring" -test.run "^$1\$" -test.timeout 20m -test.v) >>"$work/mooring.log" 2>&1 || { cat "$work/mooring.log" >&2; exit 1; }
}

# asynq WHAT has one of asynq print its figures.
asynq() { "$work/asynq" "$1" "127.0.0.1:$port" >>"$work/asynq.log" 2>&1 || { cat "$work/asynq.log" >&2; exit 1; }; }

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
