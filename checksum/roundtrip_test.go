package checksum

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuilderMakesCellsCanonical(t *testing.T) {
	tests := []struct {
		name string
		in   []Cell
		want []Cell
	}{
		{"trailing empty cells are dropped", []Cell{Num(1), {}, {}}, []Cell{Num(1)}},
		{"empty cells inside stay", []Cell{{}, Num(1)}, []Cell{{}, Num(1)}},
		{"a row may be empty", []Cell{{}, {}}, nil},
		{"minus zero is zero", []Cell{Num(math.Copysign(0, -1))}, []Cell{Num(0)}},
		{"NaN is an error", []Cell{Num(math.NaN())}, []Cell{Err(NotANumber)}},
		{"infinity is an error", []Cell{Num(math.Inf(1)), Num(math.Inf(-1))}, []Cell{Err(NotANumber), Err(NotANumber)}},
		{"empty text is empty", []Cell{Str(""), Bool(true), Str("")}, []Cell{{}, Bool(true)}},
		{"line ends are LF", []Cell{Str("a\r\nb\rc\n\r\n")}, []Cell{Str("a\nb\nc\n\n")}},
		{"a run of invalid bytes is one U+FFFD", []Cell{Str("a\xff\xfeb\xc3")}, []Cell{Str("a\uFFFDb\uFFFD")}},
		{"text beyond ASCII stays", []Cell{Str("zażółć 🦭")}, []Cell{Str("zażółć 🦭")}},
		{"CR after text beyond ASCII is LF", []Cell{Str("é\r")}, []Cell{Str("é\n")}},
		{"a text of 128 bytes has a longer length", []Cell{Str(strings.Repeat("x", 128))}, []Cell{Str(strings.Repeat("x", 128))}},
		{"an error may have no code", []Cell{Err("")}, []Cell{Err("")}},
		{"an error's code is canonical text", []Cell{Err("#A\r\n")}, []Cell{Err("#A\n")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b Builder
			b.Append(tt.in...)
			g := b.Grid()
			if diff := cmp.Diff(tt.want, g.Cells(0, nil)); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			if got := g.Columns(); got != len(tt.want) {
				t.Errorf("columns = %d, want %d", got, len(tt.want))
			}
		})
	}
}
