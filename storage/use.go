package storage

import (
	"context"

	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/record"
)

// NoteUse adds to the audit of a deployment that who has used its source, for what verb says. The uses of an hour are one entry.
func (s *Store) NoteUse(ctx context.Context, d record.Deployment, verb string, who record.Actor) error {
	t := new(engine.Transaction)
	t.Fails(journal.Tally(&t.Txn, s.db.Deployment(d).Audit(), journal.Of(who, verb, journal.OfSource(d.ID))))
	_, err := s.db.Run(ctx, t)
	return err
}
