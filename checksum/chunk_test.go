package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChunkRowsIsTheSmallestPowerOfTwo(t *testing.T) {
	tests := []struct{ rows, want int }{
		{0, 16},
		{1, 16},
		{16 * 512, 16},
		{16*512 + 1, 32},
		{32 * 512, 32},
		{32*512 + 1, 64},
		{1_000_000, 2048},
		{1_048_576, 2048},
		{1_048_577, 4096},
	}
	for _, tt := range tests {
		if got := chunkRows(tt.rows); got != tt.want {
			t.Errorf("%d rows: chunks of %d, want %d", tt.rows, got, tt.want)
		}
	}
}

func TestChecksumOfKnownTables(t *testing.T) {
	numbers := make(table, 17)
	for i := range numbers {
		numbers[i] = []Cell{Num(float64(i))}
	}
	tests := []struct {
		name string
		rows table
		want ResultChecksum // its hashes from another program
	}{
		{"no rows, no chunks", nil, ResultChecksum{2, []Chunk{}}},
		{"one empty row", table{{}}, ResultChecksum{2, []Chunk{{0, 1, "6e340b9cffb37a989ca544e6bb780a2c"}}}},
		{
			"one row of every kind",
			table{{{}, Num(1.5), Str("aé"), Bool(true), Bool(false), Err("#N/A")}},
			ResultChecksum{2, []Chunk{{0, 1, "6d1a0d90b56d9760e825022472c5a479"}}},
		},
		{"17 rows make two chunks", numbers, ResultChecksum{2, []Chunk{
			{0, 16, "464ab85a3c95ec4fd2e3b69453dfb27e"}, {16, 17, "9eb500961061d67f9c0decc1f40d0034"},
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.rows.grid().Checksum()); diff != "" {
				t.Errorf("checksum (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChunksCoverEveryRowOnce(t *testing.T) {
	g := manyRows(16*512 + 5)
	end := 0
	for _, chunk := range g.Checksum().Chunks {
		if chunk.From != end || chunk.To <= chunk.From {
			t.Fatalf("chunk %+v after row %d", chunk, end)
		}
		end = chunk.To
		h := sha256.New()
		for i := chunk.From; i < chunk.To; i++ {
			h.Write(g.Row(i))
		}
		if got, want := chunk.Hash, hex.EncodeToString(h.Sum(nil)[:16]); got != want {
			t.Fatalf("chunk %+v, want hash %s", chunk, want)
		}
	}
	if end != g.Rows() {
		t.Errorf("chunks end at row %d of %d", end, g.Rows())
	}
}

// manyRows is a table of n short rows, the same ones every time.
func manyRows(n int) *Grid {
	random := rand.New(rand.NewPCG(1, 2))
	var b Builder
	for i := range n {
		b.Append(Num(float64(i)), Num(random.Float64()), Str("row"))
	}
	return b.Grid()
}

func TestNoChunksAreAnEmptyList(t *testing.T) {
	got, err := json.Marshal(new(Grid).Checksum())
	if err != nil || string(got) != `{"v":2,"chunks":[]}` {
		t.Errorf("got %s, %v", got, err)
	}
}
