package record

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
)

// jsonNames are the names of the members that a type has in JSON.
func jsonNames(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" && f.Anonymous:
			names = append(names, jsonNames(f.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// lists checks that members are those of T, each once, and those that are no JSON.
func lists[T any](t *testing.T, members []Member[T], also ...string) {
	t.Helper()
	want := append(jsonNames(reflect.TypeFor[T]()), also...)
	var got []string
	for _, m := range members {
		got = append(got, m.Name)
		if m.value == nil && (m.Audited || m.Managed != "") {
			t.Errorf("%s has no value", m.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the members of %s are %v, and listed are %v", reflect.TypeFor[T](), want, got)
	}
}

func TestMembersAreAllListed(t *testing.T) {
	lists(t, ReportMembers)
	lists(t, WorkbookMembers)
	lists(t, ScheduleMembers)
	lists(t, PlacementMembers, "placer")
}

// field returns the field of a struct that has a name in JSON; "placer" has none.
func field(v reflect.Value, name string) reflect.Value {
	if name == "placer" {
		return v.FieldByName("Placer")
	}
	for f, sub := range v.Fields() {
		called, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if called == name {
			return sub
		}
		if called == "" && f.Anonymous {
			if found := field(sub, name); found.IsValid() {
				return found
			}
		}
	}
	return reflect.Value{}
}

// fill gives a value, and all that it has, something that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
	case reflect.Struct:
		for _, sub := range v.Fields() {
			if sub.CanSet() {
				fill(sub)
			}
		}
	}
}

// valued checks that each member of a list that has a value has its own: it changes with its field, and with no other.
func valued[T any](t *testing.T, members []Member[T]) {
	t.Helper()
	for _, set := range members {
		var asset, zero T
		fill(field(reflect.ValueOf(&asset).Elem(), set.Name))
		for _, m := range members {
			if m.value != nil && reflect.DeepEqual(m.Of(&asset), m.Of(&zero)) == (m.Name == set.Name) {
				t.Errorf("%T: with %s set, %s is %v", asset, set.Name, m.Name, m.Of(&asset))
			}
		}
	}
}

func TestMembersHaveTheirOwnValues(t *testing.T) {
	valued(t, ReportMembers)
	valued(t, WorkbookMembers)
	valued(t, ScheduleMembers)
	valued(t, PlacementMembers)
}

// members are those of a list that use returns.
func members[T any](list []Member[T], use func(Member[T]) bool) (names []string) {
	for _, m := range list {
		if use(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// What a request may set is audited, but for the source, which is fixed; an option stands wherever options do.
func TestWhatRequestsSetIsAudited(t *testing.T) {
	fixed := []string{"source"}
	audited := members(ReportMembers, func(m Member[Definition]) bool { return m.Audited })
	for _, name := range jsonNames(reflect.TypeFor[ReportInput]()) {
		if !slices.Contains(append(audited, fixed...), name) {
			t.Errorf("a report's %s can be set and is not audited", name)
		}
	}
	audited = members(WorkbookMembers, func(m Member[Workbook]) bool { return m.Audited })
	for _, name := range jsonNames(reflect.TypeFor[WorkbookInput]()) {
		if !slices.Contains(audited, name) {
			t.Errorf("a workbook's %s can be set and is not audited", name)
		}
	}
	audited = members(ScheduleMembers, func(m Member[Schedule]) bool { return m.Audited })
	for _, name := range jsonNames(reflect.TypeFor[ScheduleSpec]()) {
		if !slices.Contains(audited, name) {
			t.Errorf("a schedule's %s can be set and is not audited", name)
		}
	}
	audited = members(PlacementMembers, func(m Member[placements.Placement]) bool { return m.Audited })
	for _, name := range jsonNames(reflect.TypeFor[placements.Options]()) {
		if !slices.Contains(audited, name) {
			t.Errorf("a placement's option %s is not audited", name)
		}
	}
}

// applied sends each member of an input alone, and checks that the asset has it then, but for those to leave as they are.
func applied[In, Asset any](t *testing.T, members []Member[Asset], apply func(*In, *Asset) error, leave ...string) {
	t.Helper()
	for _, name := range jsonNames(reflect.TypeFor[In]()) {
		var in In
		var asset, zero Asset
		sent := field(reflect.ValueOf(&in).Elem(), name)
		if fill(sent); name == "meta" {
			sent.Set(reflect.ValueOf(placements.Sent(json.RawMessage(`{"a":1}`))))
		}
		if err := apply(&in, &asset); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		i := slices.IndexFunc(members, func(m Member[Asset]) bool { return m.Name == name })
		if set := !reflect.DeepEqual(members[i].Of(&asset), members[i].Of(&zero)); set == slices.Contains(leave, name) {
			t.Errorf("%T: %s is sent, and set: %t", in, name, set)
		}
	}
}

func TestWhatIsSentIsSet(t *testing.T) {
	applied(t, ReportMembers, (*ReportInput).ApplyTo, "source")
	applied(t, WorkbookMembers, func(in *WorkbookInput, w *Workbook) error {
		in.Apply(w)
		return nil
	}, "meta") // see SetMeta
}
