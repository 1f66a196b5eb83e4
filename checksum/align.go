package checksum

// A run is n rows that two tables share, from row a of the one and row b of the other on.
type run struct{ a, b, n int }

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

func sharedHead(a, b []uint64) int {
	n, same := min(len(a), len(b)), 0
	for same+strideRows <= n && [strideRows]uint64(a[same:]) == [strideRows]uint64(b[same:]) {
		same += strideRows
	}
	for same < n && a[same] == b[same] {
		same++
	}
	return same
}

func sharedTail(a, b []uint64) int {
	n, same := min(len(a), len(b)), 0
	a, b = a[len(a)-n:], b[len(b)-n:]
	for same+strideRows <= n && [strideRows]uint64(a[n-same-strideRows:]) == [strideRows]uint64(b[n-same-strideRows:]) {
		same += strideRows
	}
	for same < n && a[n-1-same] == b[n-1-same] {
		same++
	}
	return same
}

// strideRows is how many rows are compared at once, as memory.
const strideRows = 32

// join adds a run, unless it is empty.
func join(runs []run, next run) []run {
	if next.n == 0 {
		return runs
	}
	return append(runs, next)
}

// extend adds a run, to the last one if it follows that in both tables.
func extend(runs []run, next run) []run {
	if last := len(runs) - 1; last >= 0 && runs[last].a+runs[last].n == next.a && runs[last].b+runs[last].n == next.b {
		runs[last].n += next.n
		return runs
	}
	return append(runs, next)
}

// within are the parts of runs that lie in the first rows of two tables, of so many rows.
func within(runs []run, a, b int) (parts []run) {
	for _, r := range runs {
		if r.n = min(r.n, a-r.a, b-r.b); r.n > 0 {
			parts = append(parts, r)
		}
	}
	return parts
}
