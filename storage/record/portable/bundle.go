package portable

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// The limits of a bundle (faces.md §5).
const (
	MaxBundleAssets = 2_000
	MaxBundleBytes  = 8 << 20
)

// Bundle is what a project wants its assets to be: the body of a plan's creation.
type Bundle struct {
	Project     string   `json:"project"`
	Environment string   `json:"environment,omitempty"` // shown only
	Assets      []Asset  `json:"assets"`
	Prune       *Prune   `json:"prune,omitempty"`    // nil: nothing is deleted
	Detach      bool     `json:"detach,omitempty"`   // reports are deleted although they are placed; the cells stay
	Preview     bool     `json:"preview,omitempty"`  // the plan says what the next writes do to the spreadsheets
	TakeOver    []string `json:"takeOver,omitempty"` // assets of other projects that become this one's, as Asset.Name has them
	Adopt       []string `json:"adopt,omitempty"`    // report:#17 means that report where several show its id, schedule:#17 that schedule under the key made for it
}

// AssetKind is a kind of asset that a project can manage.
type AssetKind string

// The kinds, in the order in which they refer to each other.
const (
	KindReport    AssetKind = "report"
	KindWorkbook  AssetKind = "workbook"
	KindPlacement AssetKind = "placement"
	KindSchedule  AssetKind = "schedule"
)

// Asset is one asset of a bundle.
type Asset struct {
	Ref        string // publicId, slug, document/Sheet!A1 or key
	Protect    bool   // never deleted by a plan
	Definition Declaration
}

// Name names the asset among those of all kinds, such as report:RevByRegion1.
func (a *Asset) Name() string { return string(a.Kind()) + ":" + a.Ref }

// Kind is the kind of the asset.
func (a *Asset) Kind() AssetKind { return a.Definition.kind() }

// AssetKey identifies an asset within a deployment: two assets are the same one exactly if their keys are equal.
type AssetKey string

// Key is the asset's key.
func (a *Asset) Key() AssetKey {
	if p, ok := a.Definition.(*PlacementDeclaration); ok {
		return PlacementKey(p.Address())
	}
	return keyOf(a.Kind(), a.Ref)
}

// ReportKey is the key of the report of that publicId.
func ReportKey(publicID string) AssetKey { return keyOf(KindReport, publicID) }

// WorkbookKey is the key of the workbook of that slug.
func WorkbookKey(slug string) AssetKey { return keyOf(KindWorkbook, slug) }

// ScheduleKey is the key of the schedule of that key.
func ScheduleKey(key string) AssetKey { return keyOf(KindSchedule, key) }

// PlacementKey is the key of what stands at an address, whatever the case of its sheet's name.
func PlacementKey(a placements.Address) AssetKey { return keyOf(KindPlacement, a.Key()) }

func keyOf(kind AssetKind, ref string) AssetKey { return AssetKey(string(kind) + ":" + ref) }

// PlacementRef is the ref of what stands at an address.
func PlacementRef(a placements.Address) string {
	return a.Document + "/" + a.Sheet + "!" + a.Anchor.String()
}

// HasRef reports whether a ref names a placement, under whichever id of its document.
func HasRef(p *placements.Placement, ref string) bool {
	at, stands := p.Address()
	return stands && slices.ContainsFunc(append(p.IDs(), p.AddressDocument()), func(id string) bool {
		at.Document = id
		return PlacementRef(at) == ref
	})
}

// assetJSON is the JSON of an Asset.
type assetJSON struct {
	Kind       AssetKind       `json:"kind"`
	Ref        string          `json:"ref"`
	Protect    bool            `json:"protect,omitempty"`
	Definition json.RawMessage `json:"definition"`
}

// MarshalJSON returns the asset with its kind.
func (a Asset) MarshalJSON() ([]byte, error) {
	text, err := record.Encode(a.Definition)
	if err != nil {
		return nil, err
	}
	return json.Marshal(assetJSON{a.Kind(), a.Ref, a.Protect, json.RawMessage(text)})
}

// UnmarshalJSON reads an asset whose JSON is known to be right, as that of a stored bundle.
func (a *Asset) UnmarshalJSON(text []byte) error {
	var in assetJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	a.Ref, a.Protect, a.Definition = in.Ref, in.Protect, NewDeclaration(in.Kind)
	if a.Definition == nil {
		return fmt.Errorf("asset %s: unknown kind %q", in.Ref, in.Kind)
	}
	return json.Unmarshal(in.Definition, a.Definition)
}

// Prune lets a plan delete what the project applied before and its bundle no longer has.
type Prune struct {
	Limit *PruneLimit `json:"limit,omitempty"` // nil: the larger of 5 and a tenth of the project's assets
}

// PruneLimit is the most that a plan deletes: a number of assets, or a percentage of the project's.
type PruneLimit struct {
	Number  int
	Percent bool
}

// ParsePruneLimit reads a percentage such as 10%.
func ParsePruneLimit(text string) (PruneLimit, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	if !percent || err != nil || n < 0 || n > 100 {
		return PruneLimit{}, errors.New("must be a number of assets, or a percentage from 0% to 100%")
	}
	return PruneLimit{n, true}, nil
}

// MarshalJSON returns a number, or a text with a percentage.
func (l PruneLimit) MarshalJSON() ([]byte, error) {
	if l.Percent {
		return json.Marshal(strconv.Itoa(l.Number) + "%")
	}
	return json.Marshal(l.Number)
}

// UnmarshalJSON reads what MarshalJSON returns.
func (l *PruneLimit) UnmarshalJSON(text []byte) (err error) {
	var percentage string
	if json.Unmarshal(text, &percentage) == nil {
		*l, err = ParsePruneLimit(percentage)
		return err
	}
	*l = PruneLimit{}
	return json.Unmarshal(text, &l.Number)
}

// most is how many of a project's assets may be deleted at once.
func (p *Prune) most(assets int) int {
	switch {
	case p.Limit == nil:
		return max(5, assets/10)
	case p.Limit.Percent:
		return assets * p.Limit.Number / 100
	}
	return p.Limit.Number
}
