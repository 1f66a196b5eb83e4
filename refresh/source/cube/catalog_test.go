package cube_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

// fakeListed is what of the fake's model is public.
func fakeListed() []source.Dataset {
	field := func(name string, role source.FieldRole, is source.FieldType) source.Field {
		return source.Field{Name: name, Insert: name, Role: role, Type: is}
	}
	cube := func(name string, members ...source.Field) source.Dataset {
		return source.Dataset{Name: name, Kind: source.KindCube, Insert: name, Members: members}
	}
	return []source.Dataset{
		cube("numbers", field("numbers.i", source.RoleDimension, source.TypeOther), field("numbers.label", source.RoleMeasure, source.TypeOther)),
		cube(
			"orders", field("orders.at", source.RoleDimension, source.TypeOther), field("orders.status", source.RoleDimension, source.TypeOther),
			field("orders.count", source.RoleMeasure, source.TypeOther), field("orders.open", source.RoleSegment, source.TypeBoolean),
		),
		cube("slow", field("slow.forever", source.RoleMeasure, source.TypeOther)),
		cube("broken", field("broken.internally", source.RoleMeasure, source.TypeOther)),
	}
}

// testdata/meta.json is /v1/meta in the form of Cube 1.3: views with aliases and folders, custom granularities, members that are not public.
func TestCubeListsItsModel(t *testing.T) {
	f := newFakeCube(t, nil)
	meta, err := os.ReadFile("testdata/meta.json")
	if err != nil {
		t.Fatal(err)
	}
	f.model = string(meta)
	got, err := sourcetest.Open(t, f.config()).(source.Catalog).Catalog(t.Context(), source.User{})
	if err != nil {
		t.Fatal(err)
	}
	field := func(name, title, description string, role source.FieldRole, is source.FieldType) source.Field {
		return source.Field{Name: name, Title: title, Description: description, Insert: name, Role: role, Type: is}
	}
	const served, net = "Where the customer is served from", "Net of tax, in EUR"
	want := []source.Dataset{
		{
			Name: "sales", Kind: source.KindView, Title: "Sales", Description: "Orders with the customers who made them", Insert: "sales",
			Members: []source.Field{
				field("sales.status", "Sales Status", "", source.RoleDimension, source.TypeText),
				field("sales.created_at", "Sales Created at", "", source.RoleDimension, source.TypeDateTime),
				field("sales.region", "Sales Region", served, source.RoleDimension, source.TypeText),
				field("sales.orders_count", "Sales Orders Count", "", source.RoleMeasure, source.TypeNumber),
				field("sales.total", "Sales Total", net, source.RoleMeasure, source.TypeNumber),
				field("sales.shipped", "Sales Shipped", "", source.RoleSegment, source.TypeBoolean),
			},
		},
		{
			Name: "customers", Kind: source.KindCube, Title: "Customers", Description: "Who buys", Insert: "customers",
			Members: []source.Field{
				field("customers.name", "Customers Name", "", source.RoleDimension, source.TypeText),
				field("customers.region", "Customers Region", served, source.RoleDimension, source.TypeText),
				field("customers.location", "Customers Location", "", source.RoleDimension, source.TypeOther),
				field("customers.vip", "Customers Vip", "", source.RoleDimension, source.TypeBoolean),
				field("customers.count", "Customers Count", "", source.RoleMeasure, source.TypeNumber),
			},
		},
		{
			Name: "orders", Kind: source.KindCube, Title: "Orders", Insert: "orders",
			Members: []source.Field{
				field("orders.status", "Orders Status", "", source.RoleDimension, source.TypeText),
				field("orders.created_at", "Orders Created at", "", source.RoleDimension, source.TypeDateTime),
				field("orders.count", "Orders Count", "", source.RoleMeasure, source.TypeNumber),
				field("orders.total", "Orders Total", net, source.RoleMeasure, source.TypeNumber),
				field("orders.average", "Orders Average", "", source.RoleMeasure, source.TypeNumber),
				field("orders.last_at", "Orders Last at", "", source.RoleMeasure, source.TypeDateTime),
				field("orders.shipped", "Orders Shipped", "Left the warehouse", source.RoleSegment, source.TypeBoolean),
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
}

// A Cube from before members were called public says isVisible of them.
func TestCubeHidesWhatAnOldModelHides(t *testing.T) {
	f := newFakeCube(t, nil)
	f.model = `{"cubes":[{"name":"Orders","dimensions":[{"name":"Orders.key","type":"string","isVisible":false},{"name":"Orders.day","type":"time","isVisible":true}]}]}`
	got, err := sourcetest.Open(t, f.config()).(source.Catalog).Catalog(t.Context(), source.User{})
	if err != nil || len(got) != 1 || len(got[0].Members) != 1 || got[0].Members[0].Name != "Orders.day" {
		t.Errorf("%+v, %v, want Orders.day alone", got, err)
	}
	if got[0].Insert != `"Orders"` || got[0].Members[0].Insert != "Orders.day" {
		t.Errorf("%s and %s", got[0].Insert, got[0].Members[0].Insert)
	}
}
