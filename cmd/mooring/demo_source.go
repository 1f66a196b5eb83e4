package main

import (
	"context"
	"sync"

	"mooring/refresh/source/sqlite"
)

// demoSource changes the demo's database, a few rows more each time.
type demoSource struct {
	database string

	mu    sync.Mutex
	turns int
}

// recounted is how many states a change of the source touches, and by how many residents.
const (
	recounted = 4
	recount   = 1000
)

// change adds residents to some states of 2020 and names them; each call takes the next states.
func (s *demoSource) change(ctx context.Context) ([]string, error) {
	rows, err := states()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names, statements []string
	var args [][]any
	for i := range recounted {
		name := rows[(s.turns*recounted+i)*7%len(rows)][0] // steps of 7 reach every one of the 51
		names = append(names, name)
		statements = append(statements, "UPDATE states SET residents_2020 = coalesce(residents_2020, residents_2010) + ? WHERE state = ?")
		args = append(args, []any{recount * (s.turns + 1), name})
	}
	if err := sqlite.Exec(ctx, s.database, statements, args); err != nil {
		return nil, err
	}
	s.turns++
	return names, nil
}
