package source

import "context"

// Slots bounds how many queries a source runs at one time.
type Slots chan struct{}

// Take waits for a free slot. The caller must release it.
func (s Slots) Take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil { // both were ready
		s.Give()
		return err
	}
	return nil
}

func (s Slots) Give() { <-s }
