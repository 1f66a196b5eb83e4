package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mooring/placements"
)

// DocumentEntry is a placement as the index of its spreadsheet knows it: all but its checksum.
type DocumentEntry struct {
	DeploymentID int64                `json:"deploymentId"`
	ReportID     int64                `json:"reportId"`
	Placement    placements.Placement `json:"placement"`
}

// documentField is how the index of a spreadsheet names a placement: placement ids are unique within a report only.
func documentField(k deploymentKeys, report int64, placementID string) string {
	return k.owner(report) + ":" + placementID
}

// listDocument records p in the index of its spreadsheet.
func listDocument(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	p.ResultChecksum = nil
	todo.set(k.document(p.WorkbookID), documentField(k, report, p.ID), DocumentEntry{k.deployment, report, p})
}

// unlistDocument takes p out of the index of its spreadsheet.
func unlistDocument(todo *changes, k deploymentKeys, report int64, p placements.Placement) {
	todo.add("HDEL", k.document(p.WorkbookID), documentField(k, report, p.ID))
}

// DocumentPlacements lists every placement of the tenant in a spreadsheet, over all deployments and reports.
func (s *Store) DocumentPlacements(ctx context.Context, tenant, document string) ([]DocumentEntry, error) {
	hash, err := s.rdb.HGetAll(ctx, s.tenant(tenant).document(document)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	return readDocument(hash)
}

func readDocument(hash map[string]string) ([]DocumentEntry, error) {
	list := make([]DocumentEntry, 0, len(hash))
	for field, text := range hash {
		var e DocumentEntry
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return nil, fmt.Errorf("document entry %s: %w", field, err)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b DocumentEntry) int {
		return cmp.Or(cmp.Compare(a.DeploymentID, b.DeploymentID), cmp.Compare(a.ReportID, b.ReportID),
			cmp.Compare(a.Placement.ID, b.Placement.ID))
	})
	return list, nil
}

// overlaps lists the other reports' placements that claim a cell of p.
func (s *Store) overlaps(ctx context.Context, k deploymentKeys, report int64, p placements.Placement) ([]DocumentEntry, error) {
	hash, err := s.rdb.HGetAll(ctx, k.document(p.WorkbookID)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	delete(hash, documentField(k, report, p.ID))
	list, err := readDocument(hash)
	return slices.DeleteFunc(list, func(e DocumentEntry) bool { return !placements.Overlaps(e.Placement, p) }), err
}
