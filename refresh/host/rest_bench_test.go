package host_test

import (
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// benchmarkUnchanged reads a placed block of 10,000 × 10 cells again and again.
func benchmarkUnchanged(b *testing.B, h host.Host, block host.Block) {
	g := grid(10_000, 10, map[host.Position]checksum.Cell{{Row: 1, Column: 1}: checksum.Str("text")})
	refresh(b, h, block, g)
	b.ReportAllocs()
	for b.Loop() {
		v, err := readBlock(h, block, g.Extent())
		if err != nil || v.Calls != 1 {
			b.Fatalf("%d calls: %s", v.Calls, detail(err))
		}
	}
}

func BenchmarkGoogleReadOfAnUnchangedBlock(b *testing.B) {
	benchmarkUnchanged(b, newGoogleRig(b).host, googleBlock)
}

func BenchmarkGraphReadOfAnUnchangedBlock(b *testing.B) {
	benchmarkUnchanged(b, newGraphRig(b).host, graphBlock)
}
