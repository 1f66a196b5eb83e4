package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// BenchmarkUnchanged reads a placed block of 10,000 × 10 cells again and again.
func BenchmarkUnchanged(b *testing.B, h host.Driver, block host.Block) {
	g := Numbers(10_000, 10, map[host.Position]checksum.Cell{{Row: 1, Column: 1}: checksum.Str("text")})
	Refresh(b, h, block, g)
	b.ReportAllocs()
	for b.Loop() {
		v, err := ReadBlock(h, block, g.Extent())
		if err != nil || v.Calls != 1 {
			b.Fatalf("%d calls: %s", v.Calls, Detail(err))
		}
	}
}
