package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// What is kept of a report's versions before the present one, which the report itself is: the latest, up to both bounds.
const (
	mostVersions     = 99
	mostVersionBytes = 10 << 20
)

// Version is a version of a report's definition. Times are RFC 3339, UTC, with milliseconds.
type Version struct {
	Version   int64        `json:"version"`
	UpdatedAt string       `json:"updatedAt"`
	UpdatedBy *record.User `json:"updatedBy"` // nil: of a version from before it was kept
	Name      string       `json:"name"`
	Bytes     int          `json:"bytes"` // of the definition as it is stored
	Current   bool         `json:"current"`
}

// VersionOf describes a definition that takes that many bytes as it is stored.
func VersionOf(d *record.Definition, bytes int) Version {
	by := d.UpdatedBy
	if by == nil && d.Version == 1 {
		by = &d.User
	}
	return Version{Version: d.Version, UpdatedAt: d.UpdatedAt, UpdatedBy: by, Name: d.Name, Bytes: bytes}
}

// Archive adds to a transaction that the definition of a report, which has that many bytes as it is stored, is kept. It comes before the
// change that stores another one.
func Archive(tx *redis.Txn, k keys.DeploymentKeys, report int64, d *record.Definition, bytes int) error {
	head, err := record.Encode(VersionOf(d, bytes))
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	tx.Then("archive", k.Report(report), d.Version, head, mostVersions, mostVersionBytes)
	return nil
}

// Forget adds to a transaction that all versions of a report are dropped.
func Forget(tx *redis.Txn, k keys.DeploymentKeys, report int64) {
	tx.Then("DEL", k.Versions(report))
	tx.Then("DEL", k.Definitions(report))
}

// Versions returns the kept versions of a report, the latest first, and its definition as it is now, in one step; record.ErrNotFound.
func (j *Journal) Versions(ctx context.Context, d record.Deployment, report int64) ([]Version, *record.Definition, error) {
	k, p := keys.Of(d, j.partitions), j.rdb.TxPipeline()
	text, heads := p.HGet(ctx, k.Report(report), "definition"), p.HVals(ctx, k.Versions(report))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, nil, redis.Unavailable(err)
	}
	now, err := definition(report, text)
	if err != nil {
		return nil, nil, err
	}
	list := []Version{VersionOf(now, len(text.Val()))}
	list[0].Current = true
	for _, head := range heads.Val() {
		var v Version
		if err := json.Unmarshal([]byte(head), &v); err != nil {
			return nil, nil, fmt.Errorf("versions of report %d: %w", report, err)
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b Version) int { return int(b.Version - a.Version) })
	return list, now, nil
}

// Version returns a kept version of a report, and its definition as it is now, in one step. record.ErrNotFound when there is no such
// report; old is nil when it has no such version.
func (j *Journal) Version(ctx context.Context, d record.Deployment, report, version int64) (old, now *record.Definition, err error) {
	k, p := keys.Of(d, j.partitions), j.rdb.TxPipeline()
	text := p.HGet(ctx, k.Report(report), "definition")
	kept := p.HGet(ctx, k.Definitions(report), strconv.FormatInt(version, 10))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, nil, redis.Unavailable(err)
	}
	if now, err = definition(report, text); err != nil {
		return nil, nil, err
	}
	if now.Version == version {
		return now, now, nil
	}
	if old, err = definition(report, kept); errors.Is(err, record.ErrNotFound) {
		return nil, now, nil
	}
	return old, now, err
}

// definition reads a definition as it is stored; record.ErrNotFound.
func definition(report int64, stored *redis.StringCmd) (*record.Definition, error) {
	if errors.Is(stored.Err(), redis.Nil) {
		return nil, record.ErrNotFound
	}
	d := new(record.Definition)
	if err := json.Unmarshal([]byte(stored.Val()), d); err != nil {
		return nil, fmt.Errorf("report %d: definition: %w", report, err)
	}
	return d, nil
}
