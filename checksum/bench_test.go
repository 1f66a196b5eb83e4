package checksum

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"
)

// mixedRows are rows of ten cells of every kind, as a sales report has them. They repeat, but for the first cell.
func mixedRows() [][]Cell {
	rows := make([][]Cell, 256)
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
			Str(fmt.Sprintf("Order %d of a series, to be delivered", i)),
		}
		if i%50 == 0 {
			rows[i][8] = Err("#N/A")
		}
	}
	return rows
}

func buildMixed(b *Builder, rows [][]Cell, n int) *Grid {
	for i := range n {
		row := rows[i%len(rows)]
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
		h := sha256.New()
		g.spans(0, g.Rows(), func(p *page, from, to int) { h.Write(p.span(from, to)) })
		runtime.KeepAlive(h.Sum(nil))
	}
}
