package graph_test

import (
	"testing"

	"mooring/refresh/host/hosttest"
)

func BenchmarkReadOfAnUnchangedBlock(b *testing.B) {
	hosttest.BenchmarkUnchanged(b, newRig(b).host, block)
}
