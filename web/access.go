package web

import (
	"errors"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// level is what a caller may do with one asset.
type level = record.Level

const (
	mayNothing = record.MayNothing
	mayRead    = record.MayRead
	mayEdit    = record.MayEdit
	mayManage  = record.MayManage
)

// demand checks a caller's level on an asset: what may not be read is not found, what may be read but not more is forbidden.
func demand(have, want level, noun string) error {
	switch {
	case have < mayRead:
		return notFound(noun)
	case have < want:
		return placements.Errorf(placements.CodeForbidden, "This token may read the %s but not change it: ask for a token with more actions.", noun)
	}
	return nil
}

// notFound says that an asset does not exist, or that the caller may not know whether it does.
func notFound(noun string) *placements.Error {
	return placements.Errorf(placements.CodeNotFound, "No such %s here, or this token may not read it: check the id, and the roles and actions of the token.", noun)
}

// absent says what storage means by not found: of every asset in the words of notFound, so that nothing tells one that does not exist from
// one that may not be read.
func absent(err error, noun string) error {
	if errors.Is(err, storage.ErrNotFound) {
		return notFound(noun)
	}
	return err
}
