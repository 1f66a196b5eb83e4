package members

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/dashboard"
)

// What a dashboard or a report's pivot was read with may be sent back: a strict write knows every key.
func TestEveryKeyOfPartsIsKnown(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	for schema, of := range map[string]func(*bind.Object){
		"Widget": widget, "Layout": layout, "Theme": theme, "App": app,
		"PivotItems": func(o *bind.Object) { pivot(o, &record.PivotItems{}) },
	} {
		t.Run(schema, func(t *testing.T) {
			properties := doc.Components.Schemas[schema].Value.Properties
			if len(properties) == 0 {
				t.Fatal("the document says nothing of it")
			}
			known := bind.Names(of)
			for name := range properties {
				if !slices.Contains(known, name) {
					t.Errorf("%s is not known", name)
				}
			}
		})
	}
}

// draftFaults are the faults of a draft in a strict request, without those of its charts.
func draftFaults(t *testing.T, text string) bind.Faults {
	t.Helper()
	faults, err := bind.Read([]byte(text), bind.BodyOptions{Strict: true}, Draft)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := dashboard.Parse([]byte(text)); err == nil {
		faults.Join(d.RepeatedIDs()...)
	}
	return faults.Sorted()
}

func TestDraftValidation(t *testing.T) {
	for name, tt := range map[string]struct {
		draft string
		want  []string // pointers of the faults
	}{
		"an empty draft is valid": {draft: `{}`},
		"every member of the contract": {draft: `{"title":"T","description":"D","kind":"CLASSIC","settings":{"any":1},
			"theme":{"backgroundColor":"#fff","fontFamily":"f","primaryColor":"c","themeId":"t","dashboard":{"backgroundColor":"x","padding":"1"},
				"controls":{"backgroundColor":"x","padding":"x","border":{"color":"x","radius":"x","style":"x","width":"x"},"title":{"color":"x","fontFamily":"x","fontSize":"x","fontWeight":"x"}},
				"widgets":{"backgroundColor":"x","margin":"x","padding":"x","border":{"color":"x"},"text":{"codeFontFamily":"x","color":"x","fontFamily":"x","secondaryColor":"x"},"title":{"color":"x"}}},
			"layout":{"breakpoints":{"lg":1200,"md":996,"sm":768,"xs":480,"xxs":0},"cols":{"lg":12,"md":10,"sm":6,"xs":4,"xxs":2},"containerPadding":[1,2],"margin":[3,-4],"rowHeight":30},
			"widgets":[{"id":"a","type":"TEXT","position":{"x":0,"y":0,"w":1,"h":1},"responsiveLayouts":{"lg":{"x":0,"y":0,"w":1,"h":1}},"config":{"text":"x"},"style":{}}],
			"app":{"entry":"e","html":"<p>","files":{"a":"b"},"manifest":{"version":1,"dependencies":{"x":"1"}}}}`},
		"unknown widget types are kept":     {draft: `{"widgets":[{"id":"a","type":"HOLOGRAM"}]}`},
		"null members are as good as none":  {draft: `{"app":null,"theme":null,"widgets":null,"layout":{"rowHeight":null}}`},
		"a draft that is no object":         {draft: `[]`, want: []string{""}},
		"w and h are at least 1":            {draft: `{"widgets":[{"position":{"x":0,"y":0,"w":0,"h":0}}]}`, want: []string{"/widgets/0/position/h", "/widgets/0/position/w"}},
		"x and y are at least 0":            {draft: `{"widgets":[{"position":{"x":-1,"y":-1,"w":1,"h":1}}]}`, want: []string{"/widgets/0/position/x", "/widgets/0/position/y"}},
		"positions are integers":            {draft: `{"widgets":[{"position":{"x":1.5,"y":"0","w":1,"h":1}}]}`, want: []string{"/widgets/0/position/x", "/widgets/0/position/y"}},
		"responsive layouts too":            {draft: `{"widgets":[{"responsiveLayouts":{"xs":{"w":0},"md":4}}]}`, want: []string{"/widgets/0/responsiveLayouts/md", "/widgets/0/responsiveLayouts/xs/w"}},
		"breakpoints and cols are integers": {draft: `{"layout":{"breakpoints":{"lg":"x"},"cols":{"xxs":1.1}}}`, want: []string{"/layout/breakpoints/lg", "/layout/cols/xxs"}},
		"containerPadding and margin are two integers": {
			draft: `{"layout":{"containerPadding":[1],"margin":[1,"2"],"rowHeight":"3"}}`,
			want:  []string{"/layout/containerPadding", "/layout/margin/1", "/layout/rowHeight"},
		},
		"widget ids are unique": {draft: `{"widgets":[{"id":"a"},{"id":"b"},{"id":"a"},{},{}]}`, want: []string{"/widgets/2/id"}},
		"all faults at once, ids and types": {
			draft: `{"title":1,"widgets":[{"id":"a","config":[]},{"id":"a"},7],"theme":{"widgets":{"text":{"color":1}}},"app":{"manifest":{"version":"1"}}}`,
			want:  []string{"/app/manifest/version", "/theme/widgets/text/color", "/title", "/widgets/0/config", "/widgets/1/id", "/widgets/2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			faults := draftFaults(t, tt.draft)
			var got []string
			for _, d := range faults {
				got = append(got, d.Pointer)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pointers (-want +got):\n%s\n%v", diff, faults)
			}
		})
	}
}

func TestAHugeDraftIsRefused(t *testing.T) {
	faults := draftFaults(t, `{"widgets":[`+strings.Repeat(`{},`, 2_000)+`{}]}`)
	if len(faults) != 1 || faults[0].Pointer != "/widgets" {
		t.Errorf("faults %v", faults)
	}
}
