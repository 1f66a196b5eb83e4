package source

import (
	"strings"
	"testing"
)

func TestSaidTellsTheFaultAndNothingOfTheMachine(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{`column "missing_column" does not exist`, `column "missing_column" does not exist`},
		{`invalid input syntax for type date: "2024/05/06"`, `invalid input syntax for type date: "2024/05/06"`},
		{"syntax error at 12:30:00 or 1/2", "syntax error at 12:30:00 or 1/2"},
		{"near \"FROM\": syntax error\nLINE 1: …", `near "FROM": syntax error`},
		{"could not open file /var/lib/db/base/1", "could not open file …"},
		{`cannot read "/srv/shop.db"`, `cannot read "…"`},
		{`cannot read C:\data\shop.db`, "cannot read …"},
		{"connect ECONNREFUSED 10.0.0.5:5432", "connect ECONNREFUSED …"},
		{"getaddrinfo ENOTFOUND db.internal:5432", "getaddrinfo ENOTFOUND …"},
		{"connection to localhost:5432 lost", "connection to … lost"},
		{"at postgres://root:pw@db/x failed", "at … failed"},
		{"table shop.orders has no column", "table shop.orders has no column"},
		{"  ", ""},
	} {
		if got := shown(c.message); got != c.want {
			t.Errorf("%q: got %q, want %q", c.message, got, c.want)
		}
	}
	if got := shown(strings.Repeat("ä", maxSaid)); len(got) > maxSaid+len("…") || strings.Contains(got, "\uFFFD") {
		t.Errorf("a long message is cut to %d bytes: %q", len(got), got[len(got)-8:])
	}
}
