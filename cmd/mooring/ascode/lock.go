package ascode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mooring/storage/record/portable"
)

// lockFile holds what was applied last, one line an asset.
const lockFile = "mooring.lock"

// lock is the content of mooring.lock. It helps Pull to tell a file that was changed from one that was not; it may be missing.
type lock []locked

// locked is an asset of an environment as it was applied last. The ref is the file's: of a report the publicId that stands there.
type locked struct {
	Environment string             `json:"environment"`
	Kind        portable.AssetKind `json:"kind"`
	Ref         string             `json:"ref"`
	ID          json.RawMessage    `json:"id,omitempty"`
	Version     int64              `json:"version,omitempty"`
	Hash        string             `json:"hash"` // of the definition
}

// parseLock reads mooring.lock.
func parseLock(text string) (l lock, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		var entry locked
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			return nil, fmt.Errorf("line %d is no entry: take the file out, the next apply or pull writes it again", n)
		}
		l = append(l, entry)
	}
	return l, nil
}

// String writes mooring.lock: sorted, so that two branches that apply different assets can be merged.
func (l lock) String() string {
	slices.SortFunc(l, func(a, b locked) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ref, b.Ref))
	})
	var b strings.Builder
	for _, entry := range l {
		b.WriteString(compact(entry))
		b.WriteByte('\n')
	}
	return b.String()
}

// find returns the index of an asset's entry, -1 for none.
func (l lock) find(environment string, kind portable.AssetKind, ref string) int {
	return slices.IndexFunc(l, func(e locked) bool { return e.Environment == environment && e.Kind == kind && e.Ref == ref })
}

// without returns the lock without an asset's entry.
func (l lock) without(environment string, kind portable.AssetKind, ref string) lock {
	if i := l.find(environment, kind, ref); i >= 0 {
		return slices.Delete(l, i, i+1)
	}
	return l
}

// hash tells definitions apart, but not by what the server adds to one.
func hash(kind portable.AssetKind, definition map[string]any) string {
	sum := sha256.Sum256([]byte(compact(normal(canonical(kind, definition)))))
	return hex.EncodeToString(sum[:])
}

// AppliedVersion is an asset that was applied, as the answer lists it.
type AppliedVersion struct {
	Kind    portable.AssetKind `json:"kind"`
	Ref     string             `json:"ref"`
	ID      json.RawMessage    `json:"id"`
	Version int64              `json:"version"`
}

// Number returns the id of an asset whose ids are numbers, 0 for another.
func (v *AppliedVersion) Number() (id int64) {
	_ = json.Unmarshal(v.ID, &id)
	return id
}

// Text returns the id of a placement, empty for another asset.
func (v *AppliedVersion) Text() (id string) {
	_ = json.Unmarshal(v.ID, &id)
	return id
}

// Sent is an asset as a plan was asked for with it.
type Sent struct {
	Kind portable.AssetKind `json:"kind"`
	Ref  string             `json:"ref"`
	File string             `json:"file"` // the ref in the folder
	Hash string             `json:"hash"` // of the definition
}

// Sent returns what mooring.lock will have of the folder's assets once they are applied.
func (f *Folder) Sent() []Sent {
	sent, ids := make([]Sent, len(f.assets)), f.fileIDs()
	for i, a := range f.assets {
		sent[i] = Sent{a.kind, a.ref, ids.ref(a.kind, a.ref), hash(a.kind, a.definition())}
	}
	return sent
}

// RecordApply writes what was applied to mooring.lock; sent is what the plan was asked for with, which the files may not say any more.
func (f *Folder) RecordApply(sent []Sent, applied []AppliedVersion) error {
	now, ids, env := slices.Clone(f.lock), f.fileIDs(), f.Project.Environment.Name
	for _, done := range applied {
		i := slices.IndexFunc(sent, func(s Sent) bool { return s.Kind == done.Kind && s.Ref == done.Ref })
		if i < 0 {
			now = now.without(env, done.Kind, ids.ref(done.Kind, done.Ref))
			continue
		}
		now = now.without(env, done.Kind, sent[i].File)
		now = append(now, locked{env, done.Kind, sent[i].File, done.ID, done.Version, sent[i].Hash})
	}
	if now.String() == f.lock.String() {
		return nil
	}
	return write(f.dir, []FileChange{{File: lockFile, Text: now.String()}})
}

// fileIDs maps the publicIds of the environment to those of the files and of mooring.lock, where ids are derived. It is nil where they are
// the same.
func (f *Folder) fileIDs() fileIDs {
	if !f.Project.Environment.Derived {
		return nil
	}
	ids := fileIDs{}
	for _, e := range f.lock {
		if e.Kind == portable.KindReport {
			ids[f.wireID(e.Ref)] = e.Ref
		}
	}
	for _, id := range append(names(f.reports), f.Project.external...) {
		ids[f.wireID(id)] = id
	}
	return ids
}

type fileIDs map[string]string

// of returns the publicId that files have for a report; empty where that cannot be known.
func (ids fileIDs) of(wire string) string {
	if ids == nil {
		return wire
	}
	return ids[wire]
}

// ref returns the ref that an asset has in the files; empty where that cannot be known.
func (ids fileIDs) ref(kind portable.AssetKind, ref string) string {
	if kind != portable.KindReport {
		return ref
	}
	return ids.of(ref)
}
