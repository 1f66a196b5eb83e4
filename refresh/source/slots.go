package source

import "context"

// slots bounds how many queries a source runs at one time.
type slots chan struct{}

// take waits for a free slot. The caller must give it back.
func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil { // both were ready
		s.give()
		return err
	}
	return nil
}

func (s slots) give() { <-s }
