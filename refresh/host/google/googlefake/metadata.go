package googlefake

import (
	"slices"

	"mooring/refresh/host/hosttest/book"
)

// maxMetadata is the most characters of keys and values that the service keeps with a spreadsheet.
const maxMetadata = 30_000

// metadata is the API's DeveloperMetadata.
type metadata struct {
	ID         int64             `json:"metadataId,omitempty"`
	Key        string            `json:"metadataKey,omitempty"`
	Value      string            `json:"metadataValue,omitempty"`
	Location   *metadataLocation `json:"location,omitempty"`
	Visibility string            `json:"visibility,omitempty"`
}

type metadataLocation struct {
	Spreadsheet bool `json:"spreadsheet"`
}

type metadataFilter struct {
	Lookup *struct {
		ID int64 `json:"metadataId"`
	} `json:"developerMetadataLookup"`
}

func createMetadata(b *book.Book, m *metadata) (any, error) {
	if m == nil || m.Key == "" || m.Location == nil || !m.Location.Spreadsheet || m.Visibility != "DOCUMENT" || m.ID != 0 {
		return nil, invalid("developerMetadata wants a key, a visibility and a location; the fake knows those of spreadsheets, seen by all")
	}
	one := book.Metadata{ID: int64(len(b.Metadata) + 1), Key: m.Key, Value: m.Value}
	b.Metadata = append(b.Metadata, one)
	return map[string]any{"createDeveloperMetadata": map[string]any{"developerMetadata": keptMetadata(one)}}, checkMetadata(b)
}

func updateMetadata(b *book.Book, filters []metadataFilter, m *metadata, fields string) error {
	mask, err := parseMask(fields, schema["developerMetadata"])
	if err != nil {
		return err
	}
	if len(filters) != 1 || filters[0].Lookup == nil || m == nil || len(mask) != 1 || !mask.has("metadataValue") {
		return invalid("the fake updates the value of one developer metadata, by its id")
	}
	i := slices.IndexFunc(b.Metadata, func(have book.Metadata) bool { return have.ID == filters[0].Lookup.ID })
	if i < 0 {
		return invalid("No developer metadata with id: %d", filters[0].Lookup.ID)
	}
	b.Metadata[i].Value = m.Value
	return checkMetadata(b)
}

func checkMetadata(b *book.Book) error {
	size := 0
	for _, m := range b.Metadata {
		size += len(m.Key) + len(m.Value)
	}
	if size > maxMetadata {
		return invalid("Exceeded the maximum of %d characters of developer metadata.", maxMetadata)
	}
	return nil
}

func keptMetadata(m book.Metadata) metadata { return metadata{ID: m.ID, Key: m.Key, Value: m.Value} }
