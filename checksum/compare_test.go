package checksum

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSince(t *testing.T) {
	sum := func(chunks ...Chunk) ResultChecksum { return ResultChecksum{V: 2, Chunks: chunks} }
	now := sum(Chunk{0, 16, "a"}, Chunk{16, 32, "b"}, Chunk{32, 40, "c"})
	tests := []struct {
		name      string
		now, have ResultChecksum
		want      []Span
	}{
		{"the same table has no changed rows", now, now, nil},
		{"without a table known, all rows", now, ResultChecksum{}, []Span{{0, 40}}},
		{"one changed chunk", now, sum(Chunk{0, 16, "a"}, Chunk{16, 32, "x"}, Chunk{32, 40, "c"}), []Span{{16, 32}}},
		{"changed chunks side by side are one span", now, sum(Chunk{0, 16, "a"}, Chunk{16, 32, "x"}, Chunk{32, 39, "c"}), []Span{{16, 40}}},
		{"a table that grew", now, sum(Chunk{0, 16, "a"}, Chunk{16, 20, "b"}), []Span{{16, 40}}},
		{"a table that shrank has no changed rows but its last chunk's", sum(now.Chunks[0], Chunk{16, 20, "d"}), now, []Span{{16, 20}}},
		{"other chunk sizes leave nothing known", now, sum(Chunk{0, 32, "ab"}, Chunk{32, 40, "c"}), []Span{{0, 32}}},
		{"another version leaves nothing known", now, ResultChecksum{V: 1, Chunks: now.Chunks}, []Span{{0, 40}}},
		{"a client's empty chunks are passed", now, sum(Chunk{0, 0, "a"}, Chunk{0, 16, "a"}, Chunk{16, 32, "b"}), []Span{{32, 40}}},
		{"a table of nothing", sum(), now, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.now.Since(tt.have)); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
			if got := tt.now.Equal(tt.have); got != (len(tt.want) == 0 && tt.now.Rows() == tt.have.Rows()) {
				t.Errorf("Equal() = %v", got)
			}
		})
	}
}

func TestSinceNamesTheChunkOfAChangedCell(t *testing.T) {
	const rows = 16*512 + 1 // chunks of 32
	have := manyRows(rows).Checksum()
	cells := table(decoded(manyRows(rows)))
	cells[100] = []Cell{Str("changed")}
	if diff := cmp.Diff([]Span{{96, 128}}, cells.grid().Checksum().Since(have)); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if have.Rows() != rows {
		t.Errorf("the checksum covers %d rows", have.Rows())
	}
}
