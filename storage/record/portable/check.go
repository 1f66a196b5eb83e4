package portable

import (
	"fmt"
	"regexp"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

var (
	projectPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	keyPattern     = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)
)

// IsProject reports whether a project may have that name.
func IsProject(name string) bool { return projectPattern.MatchString(name) }

// KeyFault says what is wrong with the key of a schedule, empty if nothing.
func KeyFault(key string) string {
	if keyPattern.MatchString(key) {
		return ""
	}
	return "A key has 1 to 128 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: choose such a one."
}

// Check returns every fault of a bundle that needs nothing but the bundle, with its pointer, as one *placements.Error. The caller has
// checked what a binder can: types, lengths, times and the drafts of dashboards.
func (b *Bundle) Check() error {
	if len(b.Assets) > MaxBundleAssets {
		return placements.Errorf(placements.CodePlanTooLarge,
			"A plan has at most %d assets, and this bundle has %d: split the project.", MaxBundleAssets, len(b.Assets))
	}
	if len(b.Assets) == 0 && b.Prune != nil {
		return placements.Errorf(placements.CodePruneLimit,
			"The bundle is empty, and an empty one deletes nothing: check the folder, or plan without prune.")
	}
	var faults faultList
	if !IsProject(b.Project) {
		faults.add("/project", placements.CodeInvalid,
			"A project has 1 to 64 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: choose such a one.")
	}
	first := make(map[AssetKey]int, len(b.Assets))
	for i := range b.Assets {
		a := &b.Assets[i]
		at := fmt.Sprintf("/assets/%d", i)
		faults.asset(at, a)
		other, twice := first[a.Key()]
		if twice {
			faults.add(at+"/ref", placements.CodeAssetTwice, fmt.Sprintf("is the ref of /assets/%d too: keep one of them", other))
			continue
		}
		first[a.Key()] = i
	}
	if len(faults) > 0 {
		return placements.Faulty(faults...)
	}
	return nil
}

// faultList collects faults.
type faultList []placements.Detail

func (f *faultList) add(pointer string, code placements.Code, message string) {
	*f = append(*f, placements.Detail{Pointer: pointer, Code: code, Message: message})
}

func (f *faultList) asset(at string, a *Asset) {
	switch d := a.Definition.(type) {
	case *ReportDeclaration:
		if code, fault := record.PublicIDFault(a.Ref); fault != "" {
			f.add(at+"/ref", code, fault)
		}
		if _, err := (&record.Definition{Source: d.Source.OrZero()}).Host(); err != nil {
			f.add(at+"/definition/source", placements.CodeInvalid, "must be one of SHEETS_A, SHEETS_B, PLAYGROUND, D3")
		}
	case *WorkbookDeclaration:
		if slug, fault := record.NormalSlug(a.Ref); fault != "" || slug != a.Ref {
			f.add(at+"/ref", placements.CodeSlug, strings.TrimSuffix("must be a slug in lower case. "+fault, " "))
		}
		f.charts(at, d)
	case *PlacementDeclaration:
		f.placement(at, a.Ref, d)
	case *ScheduleDeclaration:
		if fault := KeyFault(a.Ref); fault != "" {
			f.add(at+"/ref", placements.CodeInvalid, fault)
		}
		f.target(at+"/definition/target", d.Target)
	}
}

// charts refuses charts that name no report portably, and a draft where it is not compared.
func (f *faultList) charts(at string, d *WorkbookDeclaration) {
	if meta, _ := record.Generic(d.Meta.OrZero()); meta != nil {
		if m, _ := meta.(record.Tree); m[record.FieldDraft] != nil {
			f.add(at+"/definition/meta/"+record.FieldDraft, placements.CodeInvalid, "is the dashboard: send it as dashboard")
		}
	}
	draft, _ := record.Generic(d.Dashboard.OrZero())
	record.EachChart(draft, func(widget int, config record.Tree) {
		publicID, _ := config["reportPublicId"].(string)
		if (publicID == "") == (record.ReportID(config) == 0) { // which report is gone is known where there is a server
			f.add(fmt.Sprintf("%s/definition/dashboard/widgets/%d/config", at, widget), placements.CodeInvalid,
				"names its report otherwise than by reportPublicId: send that alone")
		}
	})
}

// placement refuses what no host could place, and a ref that names another address.
func (f *faultList) placement(at, ref string, d *PlacementDeclaration) {
	members := map[string]string{
		"/externalWorkbookId": "/document", "/sheetName": "/sheet", "/resultLocation": "/sheet", "/anchorCell": "/anchor",
	}
	if _, err := placements.ParseAnchor(d.Anchor); err != nil {
		f.add(at+"/definition/anchor", placements.CodeAddress, err.Error())
		return
	}
	_, err := d.connection().Place()
	for _, fault := range placements.DetailsOf(err) {
		member, ok := members[fault.Pointer]
		if !ok {
			member = fault.Pointer
		}
		f.add(at+"/definition"+member, fault.Code, fault.Message)
	}
	if want := PlacementRef(d.Address()); err == nil && ref != want {
		f.add(at+"/ref", placements.CodeAddress, fmt.Sprintf("must be %s, the document, sheet and anchor of its definition", want))
	}
}

// target refuses one that names a cell of no document, or no cell.
func (f *faultList) target(at string, sent placements.Optional[ScheduleTarget]) {
	t := sent.OrZero()
	if sent.Sent && t.PublicID == "" {
		f.add(at+"/publicId", placements.CodeInvalid, "is required: a schedule names its report")
	}
	if t.Address == "" {
		return
	}
	l, err := placements.ParseLocation(t.Address)
	switch {
	case err != nil:
		f.add(at+"/address", placements.CodeAddress, err.Error())
	case l.Sheet == "":
		f.add(at+"/address", placements.CodeAddress, "names no sheet: write it as Sheet1!B2")
	case t.Document == "":
		f.add(at+"/document", placements.CodeInvalid, "is required with an address")
	}
}

// reference is a report that an asset of a bundle names, and where within its definition.
type reference struct{ pointer, publicID string }

// references are the reports that an asset names.
func references(a *Asset) (found []reference) {
	switch d := a.Definition.(type) {
	case *WorkbookDeclaration:
		draft, _ := record.Generic(d.Dashboard.OrZero())
		record.EachChart(draft, func(widget int, config record.Tree) {
			if publicID, _ := config["reportPublicId"].(string); publicID != "" {
				found = append(found, reference{fmt.Sprintf("/dashboard/widgets/%d/config/reportPublicId", widget), publicID})
			}
		})
	case *PlacementDeclaration:
		found = append(found, reference{"/report", d.Report})
	case *ScheduleDeclaration:
		if d.Target.Sent {
			found = append(found, reference{"/target/publicId", d.Target.OrZero().PublicID})
		}
	}
	return found
}

// References are the publicIds of the reports that the bundle's assets name, and perhaps some more than once.
func (b *Bundle) References() (publicIDs []string) {
	for i := range b.Assets {
		for _, r := range references(&b.Assets[i]) {
			publicIDs = append(publicIDs, r.publicID)
		}
	}
	return publicIDs
}
