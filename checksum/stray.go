package checksum

import (
	"cmp"
	"slices"
)

// tell notes which rows do not keep their cells.
func (s *shifting) tell() {
	var end run
	var strays []run
	at := 0 // of the records
	for _, r := range append(s.kept, run{a: len(s.base), b: len(s.ours)}) {
		for a := end.a; a < r.a; a++ {
			s.Gone = append(s.Gone, a)
		}
		at = s.tellAnew(at, Span{From: end.b, To: r.b})
		strays, at = s.strays(strays, r, at)
		end = run{a: r.a + r.n, b: r.b + r.n}
	}
	if len(strays) > 0 {
		s.tellStrays(strays)
		s.tellLeft(strays)
	}
	slices.Sort(s.Gone)
}

// behind is the first record, from one on, that ends behind a row of ours.
func (s *shifting) behind(at, row int) int {
	for at < len(s.records) && s.records[at].b+s.records[at].n <= row {
		at++
	}
	return at
}

// tellAnew notes the records in inserted rows of ours that stand in the block already.
func (s *shifting) tellAnew(at int, inserted Span) int {
	for at = s.behind(at, inserted.From); at < len(s.records) && s.records[at].b < inserted.To; at++ {
		r := s.records[at]
		for b := max(r.b, inserted.From); b < min(r.b+r.n, inserted.To); b++ {
			if s.base[r.a+b-r.b] != EmptyRow {
				s.Anew = append(s.Anew, b)
			}
		}
		if r.b+r.n > inserted.To {
			break
		}
	}
	return at
}

// strays adds the parts of kept rows whose cells were another record's.
func (s *shifting) strays(strays []run, kept run, at int) ([]run, int) {
	for b := kept.b; b < kept.b+kept.n; {
		to, own := kept.b+kept.n, false
		if at = s.behind(at, b); at < len(s.records) {
			switch r := s.records[at]; {
			case r.b > b:
				to = min(to, r.b)
			default:
				to, own = min(to, r.b+r.n), r.a-r.b == kept.a-kept.b
			}
		}
		if !own {
			strays = extend(strays, run{a: kept.a + b - kept.b, b: b, n: to - b})
		}
		b = to
	}
	return strays, at
}

// tellStrays notes the rows of ours in cells that were another record's.
func (s *shifting) tellStrays(strays []run) {
	rows := 0
	for _, r := range strays {
		rows += r.n
	}
	list := make([]int, 0, rows)
	for _, r := range strays {
		for i, row := range s.base[r.a : r.a+r.n] {
			if row != EmptyRow {
				list = append(list, r.b+i)
			}
		}
	}
	if len(list) > 0 {
		s.Strays = list
	}
}

// tellLeft notes the rows of base whose cells another record has now, and whose own is in no cells of the block, or in inserted ones.
func (s *shifting) tellLeft(strays []run) {
	records := slices.SortedFunc(slices.Values(s.records), func(x, y run) int { return cmp.Compare(x.a, y.a) })
	leave := func(from, to int) {
		for a := from; a < to; a++ {
			if s.base[a] != EmptyRow {
				s.Gone = append(s.Gone, a)
			}
		}
	}
	at := 0
	for _, left := range strays {
		a, end := left.a, left.a+left.n
		for ; at < len(records) && records[at].a+records[at].n <= a; at++ {
		}
		for ; at < len(records) && records[at].a < end; at++ {
			r := records[at]
			leave(a, r.a)
			a = max(a, r.a)
			to := min(end, r.a+r.n)
			first, _ := slices.BinarySearch(s.Anew, r.b+a-r.a)
			for _, b := range s.Anew[first:] {
				if b >= r.b+to-r.a {
					break
				}
				leave(r.a+b-r.b, r.a+b-r.b+1)
			}
			if a = to; r.a+r.n > end {
				break
			}
		}
		leave(a, end)
	}
}
