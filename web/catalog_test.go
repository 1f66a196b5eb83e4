package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
)

func TestCatalogOfADatabase(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE orders (id INTEGER, customer TEXT); CREATE TABLE "Net sales" (day DATE); CREATE VIEW recent AS SELECT id FROM orders`)
	a.run(t, []step{
		{
			name: "tables and views with their columns", method: "GET", path: "/catalog", status: 200,
			holds: `{"items":[
				{"name":"Net sales","kind":"table","insert":"\"Net sales\"","columns":[{"name":"day","type":"date","title":"","description":"","insert":"day"}]},
				{"name":"orders","kind":"table","title":"","description":"","columns":[{"name":"id","type":"number"},{"name":"customer","type":"text"}]},
				{"name":"recent","kind":"view"}],"pageInfo":{"hasNextPage":false}}`,
		},
		{name: "a page", method: "GET", path: "/catalog?first=2", status: 200, holds: `{"items":[{"name":"Net sales"},{"name":"orders"}],"pageInfo":{"hasNextPage":true}}`, keep: map[string]string{"page": "pageInfo"}},
		{name: "a cursor that is none", method: "GET", path: "/catalog?after=x", status: 400, holds: `{"code":"invalid_cursor"}`},
		{name: "a search among columns, whatever their case", method: "GET", path: "/catalog?search=CUSTO", status: 200, holds: `{"items":[{"name":"orders"}],"pageInfo":{"hasNextPage":false}}`},
		{name: "one that finds nothing", method: "GET", path: "/catalog?search=%27%22", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
		{name: "neither true nor false", method: "GET", path: "/catalog?fresh=1", status: 400, holds: `{"code":"invalid_parameter"}`},
		{name: "a reader sees none of it", method: "GET", path: "/catalog", as: "viewer", status: 403, holds: `{"code":"forbidden"}`},
		{name: "nor one who may edit by a role", method: "GET", path: "/catalog", as: "role7", status: 403},
		{name: "the audit has an entry for each person", method: "GET", path: "/audit", as: "admin", status: 200, holds: `{"items":[{"action":"source.browse","asset":{"kind":"source","id":"1","name":"source"},"count":4,"user":{"id":1}}]}`},
		{name: "another one", method: "GET", path: "/catalog?search=secret", as: "admin", status: 200},
		{name: "is in it too", method: "GET", path: "/audit", as: "admin", status: 200, holds: `{"items":[{"action":"source.browse","count":1},{"action":"source.browse","count":4}]}`},
	})
	if w := a.send(step{method: "GET", path: "/audit", as: "admin"}); strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the audit tells what was looked for: %s", w.Body)
	}
	var info struct{ EndCursor string }
	if err := json.Unmarshal([]byte(a.vars["page"]), &info); err != nil {
		t.Fatal(err)
	}
	a.run(t, []step{{name: "the next page", method: "GET", path: "/catalog?first=2&after=" + info.EndCursor, status: 200, holds: `{"items":[{"name":"recent"}],"pageInfo":{"hasNextPage":false}}`}})
}

// modelSource is a source with a catalog of many members, and whatever else the source beside has.
type modelSource struct {
	source.Source
	members  int
	personal bool
	err      error
	asked    atomic.Int64
	people   chan source.User
}

func (m *modelSource) PerUser() bool { return m.personal }

func (m *modelSource) Catalog(_ context.Context, u source.User) ([]source.Dataset, error) {
	m.asked.Add(1)
	if m.people != nil {
		m.people <- u
	}
	d := source.Dataset{Name: "sales", Kind: source.KindView, Title: "Sales", Description: "Orders of customers", Insert: "sales"}
	for i := range m.members {
		name := fmt.Sprintf("sales.member_%d", i)
		d.Members = append(d.Members, source.Field{Name: name, Title: "Member", Insert: name, Type: source.TypeNumber, Role: source.RoleMeasure})
	}
	return []source.Dataset{d}, m.err
}

func TestCatalogOfASemanticLayer(t *testing.T) {
	t.Parallel()
	m := &modelSource{members: 1}
	a := overSource(t, m)
	a.run(t, []step{
		{
			name: "views with their members", method: "GET", path: "/catalog", status: 200,
			holds: `{"items":[{"name":"sales","kind":"view","title":"Sales","description":"Orders of customers","insert":"sales",
				"members":[{"name":"sales.member_0","title":"Member","type":"number","role":"measure","description":"","insert":"sales.member_0"}]}]}`,
		},
		{name: "by their description", method: "GET", path: "/catalog?search=OF+CUST", status: 200, holds: `{"items":[{"name":"sales"}]}`},
		{name: "asked for anew within a minute", method: "GET", path: "/catalog?fresh=true", as: "admin", status: 200, holds: `{"items":[{"name":"sales"}]}`},
	})
	if n := m.asked.Load(); n != 1 {
		t.Errorf("the source was asked %d times, want once", n)
	}
}

// Under row security everybody is listed what the source has for them.
func TestCatalogIsOfThePersonUnderRowSecurity(t *testing.T) {
	t.Parallel()
	m := &modelSource{members: 1, personal: true, people: make(chan source.User, 9)}
	a := overSource(t, m)
	for _, as := range []string{"editor", "admin", "editor"} {
		a.send(step{method: "GET", path: "/catalog", as: as})
	}
	close(m.people)
	seen := map[int64]bool{}
	for u := range m.people {
		seen[u.ID] = true
		if u.Tenant != "acme" {
			t.Errorf("listed for %+v", u)
		}
	}
	if n := m.asked.Load(); n != 2 || len(seen) != 2 {
		t.Errorf("the source was asked %d times for %v, want once for each of two", n, seen)
	}
}

func TestCatalogOfASourceThatIsDown(t *testing.T) {
	t.Parallel()
	m := &modelSource{members: 1, err: &placements.Fault{Class: placements.Auth, Message: "Cube refuses the token; correct the source's token"}}
	a := overSource(t, m)
	for _, message := range []string{"Cube refuses the token; correct the source's token", "down"} {
		a.run(t, []step{{name: message, method: "GET", path: "/catalog", status: 503, holds: `{"code":"source_unavailable","retryable":true,"message":"` + message + `"}`}})
		m.err = &placements.Fault{Class: placements.Transient, Message: "down", RetryAfter: 7 * time.Second}
	}
	if w := a.send(step{method: "GET", path: "/catalog", as: "editor"}); w.Header().Get("Retry-After") != "7" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
	m.err = source.ErrUnlisted
	a.run(t, []step{{name: "one that lists nothing says so", method: "GET", path: "/catalog", status: 200, holds: `{"items":[],"message":"This source lists nothing: write the query without its list."}`}})
}

// A search of 2,000 members takes at most 50 ms, the whole answer included; what a busy machine adds is not the search's.
func BenchmarkCatalogOfManyMembers(b *testing.B) {
	a := overSource(b, &modelSource{members: 2000})
	a.sut = a.server.Handler() // without the checks of answers
	for b.Loop() {
		if w := a.send(step{method: "GET", path: "/catalog?search=member_1999", as: "editor"}); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
