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

// join adds a run, unless it is empty.
func join(runs []run, next run) []run {
	if next.n == 0 {
		return runs
	}
	return append(runs, next)
}
