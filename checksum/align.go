package checksum

import "sort"

// A run is n rows that two tables share, from row a of the one and row b of the other on.
type run struct{ a, b, n int }

// align finds rows that a and b share in the same order, as ascending runs. It trims what they share at both ends, steps over
// changes close to each other, and where tables differ more than that follows the rows that occur once in each (patience),
// grown by their equal neighbours: n log n at worst, and the longest common order wherever rows are distinct.
func align(a, b []uint64) []run {
	head := sharedHead(a, b)
	tail := sharedTail(a[head:], b[head:])
	runs, end := nearby(a[:len(a)-tail], b[:len(b)-tail], head)
	runs = patient(a[:len(a)-tail], b[:len(b)-tail], runs, end)
	return join(runs, run{a: len(a) - tail, b: len(b) - tail, n: tail})
}

// nearby follows a and b from row head of both, over changes whose other side is near. It returns the runs up to where
// that ends, and where that is.
func nearby(a, b []uint64, head int) (runs []run, end run) {
	runs = join(nil, run{n: head})
	end = run{a: head, b: head}
	for {
		x, y, ok := resume(a[end.a:], b[end.b:])
		if !ok {
			return runs, end
		}
		next := run{a: end.a + x, b: end.b + y}
		next.n = sharedHead(a[next.a:], b[next.b:])
		runs = join(runs, next)
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
}

// How far resume looks, and how many rows must be shared for it to believe that it is not by chance.
const (
	nearRows    = 16   // rows changed, inserted and deleted between
	inPlaceRows = 4096 // rows changed in place
	steadyRows  = 3
)

// resume finds the rows, not far ahead, from which on a and b go on alike.
func resume(a, b []uint64) (x, y int, ok bool) {
	for apart := 1; apart <= nearRows; apart++ {
		for x := range apart + 1 {
			if steady(a, b, x, apart-x) {
				return x, apart - x, true
			}
		}
	}
	for x := range min(len(a), len(b), inPlaceRows) {
		if steady(a, b, x, x) {
			return x, x, true
		}
	}
	return 0, 0, false
}

func steady(a, b []uint64, x, y int) bool {
	if x+steadyRows > len(a) || y+steadyRows > len(b) || a[x] != b[y] {
		return false
	}
	return sharedHead(a[x:x+steadyRows], b[y:y+steadyRows]) == steadyRows
}

// patient adds the runs from end on that grow around rows which occur once in a and in b.
func patient(a, b []uint64, runs []run, end run) []run {
	from := end
	for _, at := range ascending(anchors(a[from.a:], b[from.b:])) {
		at.a, at.b = at.a+from.a, at.b+from.b
		if at.a < end.a {
			continue // the run before has grown over it
		}
		at = around(a, b, at, end)
		end = run{a: at.a + at.n, b: at.b + at.n}
		runs = join(runs, at)
	}
	return runs
}

func sharedHead(a, b []uint64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func sharedTail(a, b []uint64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}

// around grows a shared row by its equal neighbours, back to where the run before ends.
func around(a, b []uint64, at, end run) run {
	back := sharedTail(a[end.a:at.a], b[end.b:at.b])
	ahead := sharedHead(a[at.a:], b[at.b:])
	return run{a: at.a - back, b: at.b - back, n: back + ahead}
}

// join adds a run, unless it is empty.
func join(runs []run, next run) []run {
	if next.n == 0 {
		return runs
	}
	return append(runs, next)
}

// anchors are the rows that occur exactly once in a and once in b, in the order of a.
func anchors(a, b []uint64) []run {
	seen := make(map[uint64]run, len(a)) // n counts a's occurrences, b is 1 + its only row
	for i, fingerprint := range a {
		at := seen[fingerprint]
		seen[fingerprint] = run{a: i, n: at.n + 1}
	}
	for i, fingerprint := range b {
		at, ok := seen[fingerprint]
		if !ok || at.n > 1 {
			continue
		}
		if at.b != 0 {
			at.n = 2
		}
		at.b = i + 1
		seen[fingerprint] = at
	}
	var once []run
	for _, fingerprint := range a {
		if at := seen[fingerprint]; at.n == 1 && at.b > 0 {
			once = append(once, run{a: at.a, b: at.b - 1, n: 1})
		}
	}
	return once
}

// ascending is a longest selection of runs, given in the order of a, that ascends in b too.
func ascending(runs []run) []run {
	tops := make([]int, 0, len(runs)) // by length: the run that ends the selection of that length earliest in b
	before := make([]int, len(runs))  // the run before it in its selection
	for i := range runs {
		at := sort.Search(len(tops), func(k int) bool { return runs[tops[k]].b > runs[i].b })
		before[i] = -1
		if at > 0 {
			before[i] = tops[at-1]
		}
		if at == len(tops) {
			tops = append(tops, i)
		} else {
			tops[at] = i
		}
	}
	selection := make([]run, len(tops))
	if len(tops) == 0 {
		return selection
	}
	for at, i := len(tops)-1, tops[len(tops)-1]; i >= 0; at, i = at-1, before[i] {
		selection[at] = runs[i]
	}
	return selection
}
