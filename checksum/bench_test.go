package checksum

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// templates is how many different rows a table has: few enough to lie in a processor's cache, as a row just read from a
// database does.
const templates = 256

// mixedRows are rows of ten cells of every kind, as a report of orders has them. They repeat, but for the first cell.
func mixedRows() [][]Cell {
	rows := make([][]Cell, templates)
	for i := range rows {
		rows[i] = []Cell{
			Num(float64(i)),
			Str(fmt.Sprintf("Customer %06d", i*7919%999983)),
			Str(fmt.Sprintf("customer.%d@example.com", i*104729%999983)),
			Num(45000 + float64(i%700)),
			Num(float64(i*31%100000) / 100),
			Num(float64(i % 17)),
			Bool(i%3 == 0),
			Str([]string{"open", "shipped", "returned", "Überfällig"}[i%4]),
			{},
			Str(fmt.Sprintf("Order %d of a series, to be delivered to the gate by noon, in writing", i)),
		}
		if i%50 == 0 {
			rows[i][8] = Err("#N/A")
		}
	}
	return rows
}

func buildMixed(b *Builder, rows [][]Cell, n int) *Grid {
	for i := range n {
		row := rows[i%templates]
		row[0].Number = float64(i)
		b.Append(row...)
	}
	return b.Grid()
}

const million = 1_000_000

func BenchmarkEncode(b *testing.B) {
	rows := mixedRows()
	for b.Loop() {
		var builder Builder
		g := buildMixed(&builder, rows, million)
		b.SetBytes(int64(g.Size()))
	}
}

func BenchmarkChecksum(b *testing.B) {
	g := buildMixed(new(Builder), mixedRows(), million)
	b.SetBytes(int64(g.Size()))
	for b.Loop() {
		g.Checksum()
	}
}

func BenchmarkBlock(b *testing.B) {
	g := buildMixed(new(Builder), mixedRows(), million)
	b.SetBytes(int64(g.Size()))
	for b.Loop() {
		g.Block()
	}
}

func BenchmarkSHA256(b *testing.B) {
	g := buildMixed(new(Builder), mixedRows(), million)
	b.SetBytes(int64(g.Size()))
	for b.Loop() {
		runtime.KeepAlive(hashAll(g))
	}
}

// hashAll is one SHA-256 over the whole encoding, on one processor: the measure of everything here.
func hashAll(g *Grid) []byte {
	h := sha256.New()
	g.spans(0, g.Rows(), func(p *page, from, to int) { h.Write(p.span(from, to)) })
	return h.Sum(nil)
}

func BenchmarkDiff(b *testing.B) {
	base := buildMixed(new(Builder), mixedRows(), million).Block()
	ours := BlockRows{Fingerprints: slices.Clone(base.Fingerprints), Columns: base.Columns}
	for i := 0; i < million; i += 1000 {
		ours.Fingerprints[i]++
	}
	for b.Loop() {
		if got := Diff(base, ours).Written(); got != 1000 {
			b.Fatalf("%d rows", got)
		}
	}
}

func BenchmarkMergeSorted(b *testing.B) {
	f := &figures{left: mixedRows()}
	f.sortedBlock()
	for b.Loop() {
		m := Merge(f.base, f.sorted, f.ours, f.base.BlockRows, RowKey{})
		m.Keep(Means{})
	}
}

// spread is a block of n rows, of which every each-th row of ours is new.
func spread(n, each int) (base, ours BlockRows) {
	for i := range n {
		fingerprint := uint64(i+1) * 0x9e3779b97f4a7c15
		ours.Fingerprints = append(ours.Fingerprints, fingerprint)
		if i == 0 || i%each != 0 {
			base.Fingerprints = append(base.Fingerprints, fingerprint)
		}
	}
	base.Columns, ours.Columns = 10, 10
	return base, ours
}

func BenchmarkShift(b *testing.B) {
	base, ours := spread(million, 10_000)
	onTop := BlockRows{Fingerprints: slices.Concat(base.Fingerprints[:1], base.Fingerprints[21:]), Columns: 10}
	reversed := BlockRows{Fingerprints: slices.Clone(base.Fingerprints), Columns: 10}
	slices.Reverse(reversed.Fingerprints[1:])
	many, more := spread(million, 20)
	for name, pair := range map[string][2]BlockRows{
		"20 rows on top": {onTop, base}, "100 places": {base, ours}, "50,000 places": {many, more}, "reversed": {base, reversed},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				diffShift(pair[0], pair[1])
			}
		})
	}
}
