package result_test

import (
	"context"
	"fmt"
	"time"

	"mooring/checksum"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage/record"
)

// cities is a source of one table.
type cities struct{}

func (cities) Query(_ context.Context, _ source.Query, b *checksum.Builder) ([]source.Column, error) {
	b.Append(checksum.Str("city"), checksum.Str("people"))
	b.Append(checksum.Str("Oslo"), checksum.Num(700_000))
	return []source.Column{{Name: "city"}, {Name: "people"}}, nil
}

func (cities) Check(context.Context) error { return nil }
func (cities) Close() error                { return nil }

// Results have 64 MiB, of which one takes half at most.
func Example() {
	all := result.NewResults(64<<20, 32<<20)
	t, err := all.Alone(context.Background(), result.Question{
		From: result.Origin{Source: cities{}}, Of: &record.Definition{SQLQuery: "SELECT city, people FROM cities"},
		Room: all.Clients, Patience: time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	fmt.Println(result.Headings(t.Grid.Cells(0, nil)), t.Grid.Rows())
	// Output:
	// [city people] 2
}
