//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

const postgresSample = `
CREATE ROLE reader LOGIN PASSWORD 'read-only';
CREATE ROLE stranger LOGIN PASSWORD 'stranger' CONNECTION LIMIT 0;
CREATE TYPE mood AS ENUM ('calm', 'rough');
CREATE DOMAIN price AS numeric(10,2) CHECK (VALUE > 0);
CREATE TABLE labels (id integer, label text);
CREATE TABLE changes (i integer);
CREATE TABLE writable (id integer);
CREATE TABLE secrets (id integer);
CREATE SEQUENCE counter;
CREATE FUNCTION raises() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''it ran''; END';
GRANT SELECT ON labels, changes TO reader;
GRANT ALL ON writable TO reader;
GRANT ALL ON counter TO reader;
GRANT CREATE ON SCHEMA public TO reader;
CREATE TABLE orders (tenant text, uid bigint, email text, role bigint, item text);
INSERT INTO orders VALUES
  ('acme', 7, 'ann@example.com', 3, 'rope'), ('acme', 8, 'bob@example.com', 4, 'chain'), ('o''hara\', 7, '', 5, 'buoy');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON orders USING (
  tenant = current_setting('mooring.tenant', true) AND uid = current_setting('mooring.uid', true)::bigint
  AND email = current_setting('mooring.email', true)
  AND role = ANY (string_to_array(current_setting('mooring.roles', true), ',')::bigint[]));
GRANT SELECT ON orders TO reader;
COMMENT ON TABLE orders IS 'What customers ordered';
COMMENT ON COLUMN orders.item IS 'Its name in the shop';
CREATE SCHEMA "Sales team";
GRANT USAGE ON SCHEMA "Sales team" TO reader;
CREATE TABLE "Sales team"."order" ("Net ""Total""" price, day date, at timestamptz, tags text[], feeling mood, gone integer, hidden text);
ALTER TABLE "Sales team"."order" DROP COLUMN gone;
GRANT SELECT ("Net ""Total""", day, at, tags, feeling) ON "Sales team"."order" TO reader;
CREATE MATERIALIZED VIEW "Sales team".totals AS SELECT count(*) AS n, interval '1 day' AS took FROM labels;
GRANT SELECT ON "Sales team".totals TO reader;
CREATE SCHEMA closed;
CREATE TABLE closed.ledger (id integer);
GRANT SELECT ON closed.ledger TO reader;
`

// postgresListed is what of the sample the reader may read.
func postgresListed() []source.Dataset {
	field := func(name string, is source.FieldType) source.Field {
		return source.Field{Name: name, Insert: source.Identifier(name), Type: is}
	}
	id, item := field("id", source.TypeNumber), field("item", source.TypeText)
	item.Description = "Its name in the shop"
	return []source.Dataset{
		{Name: "changes", Kind: source.KindTable, Insert: "changes", Columns: []source.Field{field("i", source.TypeNumber)}},
		{Name: "labels", Kind: source.KindTable, Insert: "labels", Columns: []source.Field{id, field("label", source.TypeText)}},
		{
			Name: "orders", Kind: source.KindTable, Description: "What customers ordered", Insert: "orders",
			Columns: []source.Field{
				field("tenant", source.TypeText), field("uid", source.TypeNumber), field("email", source.TypeText),
				field("role", source.TypeNumber), item,
			},
		},
		{Name: "writable", Kind: source.KindTable, Insert: "writable", Columns: []source.Field{id}},
		{
			Name: "Sales team.order", Kind: source.KindTable, Insert: `"Sales team"."order"`,
			Columns: []source.Field{
				{Name: `Net "Total"`, Insert: `"Net ""Total"""`, Type: source.TypeNumber},
				field("day", source.TypeDate),
				field("at", source.TypeDateTime), field("tags", source.TypeJSON), field("feeling", source.TypeText),
			},
		},
		{
			Name: "Sales team.totals", Kind: source.KindView, Insert: `"Sales team".totals`,
			Columns: []source.Field{field("n", source.TypeNumber), field("took", source.TypeDuration)},
		},
	}
}

// standardListed is what the information_schema says of the same: no comments, no materialized views, and schemas by their names.
func standardListed() (list []source.Dataset) {
	for _, d := range postgresListed() {
		d.Description, d.Columns = "", slices.Clone(d.Columns)
		for i := range d.Columns {
			d.Columns[i].Description = ""
		}
		if d.Kind == source.KindTable {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b source.Dataset) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func TestPostgres(t *testing.T) {
	server := sourcetest.StartPostgres(t)
	server.Exec(t, postgresSample)
	config := postgres.Config{URL: secret.Text(server.URL("reader", "read-only", "postgres"))}
	subject := postgresSubject(t, server, config)
	subject.Bound, subject.Echo = boundInPostgres(), source.Query{SQL: "SELECT @text::text"}
	t.Run("suite", func(t *testing.T) { sourcetest.Run(t, subject) })
	t.Run("values are not told", func(t *testing.T) { testPostgresValuesAreNotTold(t, config) })
	t.Run("suite on the bare wire", func(t *testing.T) {
		subject, bare := subject, config
		bare.WireOnly = true
		subject.Config = &bare
		subject.NoProbes = map[string]source.Probe{"listen": {Listen: "changes"}}
		subject.Announce = nil
		subject.Refuses, subject.Escapes = `\`, subject.Writes // values are written into the text
		subject.Writes = nil                                   // nothing but the role's rights forbids them
		subject.Cells = nil                                    // the server's own settings decide their form
		subject.Listed = standardListed()
		server.Exec(t, "REVOKE SELECT ON closed.ledger FROM reader") // the standard does not look at the schema
		sourcetest.Run(t, subject)
	})
	t.Run("row security", func(t *testing.T) { testPostgresRowSecurity(t, server, config) })
	t.Run("untold", func(t *testing.T) { testPostgresUntold(t, server, config) })
	t.Run("login", func(t *testing.T) { testPostgresLogin(t, server, config) })
	t.Run("explain", func(t *testing.T) { testPostgresExplain(t, config) })
	t.Run("session", func(t *testing.T) { testPostgresSession(t, config) })
	t.Run("cancel", func(t *testing.T) { testPostgresCancel(t, server, config) })
	t.Run("restart", func(t *testing.T) { testPostgresRestart(t, server, config) })
	t.Run("zone", func(t *testing.T) { testPostgresZone(t, config) })
	t.Run("privilege", func(t *testing.T) { testPostgresPrivilege(t, config) })
	t.Run("prepare", func(t *testing.T) { testPostgresPrepare(t, config) })
	t.Run("listen", func(t *testing.T) { testPostgresListen(t, server, config) })
	t.Run("memory", func(t *testing.T) {
		sourcetest.Memory(t, &config, 300_000, source.Query{
			SQL: "SELECT i, i * 1.5, 'customer number ' || i, i % 2 = 0 FROM generate_series(1, 300000) AS i",
		})
	})
	t.Run("catalog", func(t *testing.T) { testPostgresCatalog(t, server, config) }) // the last: it drops one
}

func postgresSubject(t *testing.T, server *sourcetest.Postgres, config postgres.Config) sourcetest.Subject {
	as := func(user, password, database string) source.Config {
		return &postgres.Config{URL: secret.Text(server.URL(user, password, database))}
	}
	s := sourcetest.SQL(&config)
	s.Cells = postgresCells(t)
	s.Listed = postgresListed()
	s.Rows = func(n int) source.Query {
		return source.Query{SQL: fmt.Sprintf("SELECT i, 'row ' || i FROM generate_series(1, %d) AS i", n)}
	}
	s.Unending = source.Query{SQL: "SELECT generate_series(1, 1000000000000)"}
	s.Endless = source.Query{SQL: "SELECT pg_sleep(3600)"}
	s.Writes = []string{
		"INSERT INTO writable VALUES (1)",
		"INSERT INTO writable VALUES (1) RETURNING id",
		"WITH w AS (INSERT INTO writable VALUES (1) RETURNING id) SELECT * FROM w",
		"UPDATE writable SET id = 1",
		"DELETE FROM writable",
		"EXPLAIN ANALYZE INSERT INTO writable VALUES (1)",
		"CREATE TABLE more (i integer)",
		"CREATE TEMP TABLE more (i integer)",
		"SELECT nextval('counter')",
		"SELECT * INTO more FROM labels",
		"COPY writable TO STDOUT",
		"COPY writable FROM STDIN",
		"DO $$ BEGIN INSERT INTO writable VALUES (1); END $$",
		"DO $$ BEGIN SET TRANSACTION READ WRITE; INSERT INTO writable VALUES (1); END $$",
		"SELECT set_config('transaction_read_only', 'off', false)",
		"SET TRANSACTION READ WRITE",
		"COMMIT", "ROLLBACK", "BEGIN",
		"SET statement_timeout = 0",
		"LISTEN channel",
	}
	s.Telling = []source.Query{
		{SQL: "SELECT @text::integer"},
		{SQL: "SELECT @text::text::integer"},
		{SQL: "SELECT (@text || '(')::regclass"},
		{SQL: "SELECT to_date(@text, 'YYYY')"},
		{SQL: "SELECT json_object_keys(@text::json)"},
		{SQL: "SELECT encode('x', @text)"},
	}
	s.Several = append(s.Several, "COMMIT; INSERT INTO writable VALUES (1)")
	s.Unchanged = func(t *testing.T) {
		if rows := server.Exec(t, "SELECT (SELECT count(*) FROM writable), (SELECT is_called FROM counter)"); rows[0][0] != "0" || rows[0][1] != "f" {
			t.Errorf("rows and counter: %v, want none and unused", rows[0])
		}
	}
	s.Unreachable = map[string]sourcetest.Unreachable{
		"a wrong password":     {Config: as("reader", "guess-what", "postgres"), Class: placements.Auth},
		"a missing database":   {Config: as("reader", "read-only", "nowhere"), Class: placements.Structure},
		"too many connections": {Config: as("stranger", "stranger", "postgres"), Class: placements.Transient},
		"nobody listens": {
			Config: &postgres.Config{URL: secret.Text(fmt.Sprintf("postgres://reader:read-only@127.0.0.1:%d/postgres", sourcetest.FreePort(t)))},
			Class:  placements.Transient,
		},
	}
	s.Change = func(t *testing.T) { server.Exec(t, "INSERT INTO changes VALUES (1)") }
	s.NoProbes = map[string]source.Probe{
		"query":  {},
		"listen": {Listen: strings.Repeat("x", 64)},
	}
	s.Announce = func(t *testing.T, channel string) {
		server.Exec(t, `NOTIFY "`+strings.ReplaceAll(channel, `"`, `""`)+`"`)
	}
	s.Internals = []string{"127.0.0.1", strconv.Itoa(server.Port), "read-only", "guess-what", server.Dir, "SQLSTATE"}
	return s
}

func postgresCells(t *testing.T) []sourcetest.CellCase {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	cell := func(expression string, want checksum.Cell, format string) sourcetest.CellCase {
		return sourcetest.CellCase{
			Name:    expression,
			Query:   source.Query{SQL: "SELECT " + expression, Location: berlin},
			Want:    []checksum.Cell{want},
			Formats: []string{format},
		}
	}
	num, str := checksum.Num, checksum.Str
	const day = 45418 // 2024-05-06
	const date, dateTime, clock, duration = checksum.DateFormat, checksum.DateTimeFormat, checksum.TimeFormat, checksum.DurationFormat
	notANumber := checksum.Err(checksum.NotANumber)
	return []sourcetest.CellCase{
		cell("7::int2", num(7), ""),
		cell("-7::int4", num(-7), ""),
		cell("9007199254740992", num(1<<53), ""),
		cell("9007199254740993", str("9007199254740993"), ""),
		cell("0.1::float4", num(0.1), ""),
		cell("0.1::float8 + 0.2", num(0.30000000000000004), ""),
		cell("'NaN'::float8", notANumber, ""),
		cell("'-Infinity'::float8", notANumber, ""),
		cell("12.50::numeric", num(12.5), ""),
		cell("123456789012345678901::numeric", str("123456789012345678901"), ""),
		cell("'NaN'::numeric", notANumber, ""),
		cell("9.99::price", num(9.99), ""),
		cell("'12.30'::money", str("$12.30"), ""),
		cell("true", checksum.Bool(true), ""),
		cell("1 > 2", checksum.Bool(false), ""),
		cell("'plain'::text", str("plain"), ""),
		cell("'=1+1'", str("=1+1"), ""),
		cell("'x'::varchar(9)", str("x"), ""),
		cell("'x'::char(3)", str("x  "), ""),
		cell("''", checksum.Cell{}, ""),
		cell("NULL", checksum.Cell{}, ""),
		cell("NULL::date", checksum.Cell{}, date),
		cell(`'\x00ff'::bytea`, str("00ff"), ""),
		cell("''::bytea", checksum.Cell{}, ""),
		cell("date '2024-05-06'", num(day), date),
		cell("date 'infinity'", str("infinity"), date),
		cell("date '0044-03-15 BC'", str("0044-03-15 BC"), date),
		cell("timestamp '2024-05-06 06:00'", num(day+.25), dateTime),
		cell("timestamp '-infinity'", str("-infinity"), dateTime),
		cell("timestamptz '2024-05-06 06:00+00'", num(day+8./24), dateTime),
		cell("timestamptz '2024-12-06 06:00+05:30'", num(45632+1.5/24), dateTime),
		cell("date_trunc('day', timestamptz '2024-05-06 23:00+00')", num(day+1), dateTime),
		cell("time '18:00'", num(.75), clock),
		cell("time '24:00'", num(1), clock),
		cell("timetz '18:00+02'", str("18:00:00+02"), ""),
		cell("interval '36 hours'", num(1.5), duration),
		cell("interval '-90 minutes'", num(-1.5/24), duration),
		cell("interval '1 year 2 months 3 days'", str("P1Y2M3D"), duration),
		cell(`'{"a": [1, 2]}'::json`, str(`{"a":[1,2]}`), ""),
		cell(`'{"b": null}'::jsonb`, str(`{"b":null}`), ""),
		cell("ARRAY[1,NULL,3]", str("[1,null,3]"), ""),
		cell(`ARRAY['a b','say "x"',NULL,'NULL','{}']`, str(`["a b","say \"x\"",null,"NULL","{}"]`), ""),
		cell("ARRAY[[1,2],[3,4]]", str("[[1,2],[3,4]]"), ""),
		cell("'[0:1]={1,2}'::int[]", str("[1,2]"), ""),
		cell("ARRAY[true,false]", str("[true,false]"), ""),
		cell("ARRAY['NaN']::float8[]", str(`["NaN"]`), ""),
		cell("'{}'::text[]", str("[]"), ""),
		cell("'00112233-4455-6677-8899-aabbccddeeff'::uuid", str("00112233-4455-6677-8899-aabbccddeeff"), ""),
		cell("'rough'::mood", str("rough"), ""),
		cell("ARRAY['calm']::mood[]", str("{calm}"), ""),
		cell("inet '10.0.0.1'", str("10.0.0.1"), ""),
		cell("int4range(1, 5)", str("[1,5)"), ""),
		cell("point(1, 2)", str("(1,2)"), ""),
		cell("row(1, 'x')", str("(1,x)"), ""),
	}
}

func testPostgresRowSecurity(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	query := func(u source.User) source.Query {
		return source.Query{SQL: "SELECT item FROM orders ORDER BY item", User: u}
	}
	for _, c := range []struct {
		name string
		on   bool
		user source.User
		want []string
	}{
		{
			"a user sees their own rows", true,
			source.User{Tenant: "acme", ID: 7, Email: "ann@example.com", Roles: []int64{1, 3}},
			[]string{"rope"},
		},
		{
			"another user sees others", true,
			source.User{Tenant: "acme", ID: 8, Email: "bob@example.com", Roles: []int64{4}},
			[]string{"chain"},
		},
		{"a role that is missing hides rows", true, source.User{Tenant: "acme", ID: 7, Email: "ann@example.com"}, nil},
		{"quotes and backslashes are passed on", true, source.User{Tenant: `o'hara\`, ID: 7, Roles: []int64{5}}, []string{"buoy"}},
		{
			"a tenant cannot break out of its quotes", true,
			source.User{Tenant: `x'; SET LOCAL "mooring.tenant" = 'acme`, ID: 7, Email: "ann@example.com", Roles: []int64{3}},
			nil,
		},
		{"switched off, nobody is named", false, source.User{Tenant: "acme", ID: 7, Email: "ann@example.com", Roles: []int64{3}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := config
			config.RowSecurity = c.on
			_, grid := sourcetest.Table(t, sourcetest.Open(t, &config), query(c.user))
			var got []string
			for i := 1; i < grid.Rows(); i++ {
				got = append(got, grid.Cells(i, nil)[0].Text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("an error does not quote a row", func(t *testing.T) {
		config := config
		config.RowSecurity = true
		user := source.User{Tenant: "acme", ID: 7, Email: "ann@example.com", Roles: []int64{3}}
		q := source.Query{SQL: "SELECT item::int FROM orders", User: user}
		_, err := sourcetest.Open(t, &config).Query(t.Context(), q, new(checksum.Builder))
		var fault *placements.Fault
		if !errors.As(err, &fault) || fault.Class != placements.Structure || !strings.Contains(fault.Message, "class 22") {
			t.Fatalf("got %v, want a structure fault that names the error's class", err)
		}
		if strings.Contains(fault.Message+fmt.Sprint(fault.Err), "rope") {
			t.Errorf("the fault quotes the row: %s (%v)", fault.Message, fault.Err)
		}
	})
	t.Run("a role without set_config cannot become someone else", func(t *testing.T) {
		server.Exec(t, "REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC")
		defer server.Exec(t, "GRANT EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) TO PUBLIC")
		config := config
		config.RowSecurity = true
		src := sourcetest.Open(t, &config)
		user := source.User{Tenant: "acme", ID: 7, Email: "ann@example.com", Roles: []int64{3}}
		if _, grid := sourcetest.Table(t, src, query(user)); grid.Rows() != 2 {
			t.Errorf("%d rows, want 2: the source itself needs no set_config", grid.Rows())
		}
		sourcetest.WantWarnings(t, src, "reader may write to tables such as public.writable")
		_, err := src.Query(context.Background(), source.Query{SQL: "SELECT set_config('mooring.uid', '8', true)", User: user}, new(checksum.Builder))
		var fault *placements.Fault
		if !errors.As(err, &fault) || fault.Class != placements.Auth {
			t.Errorf("got %v, want an auth fault", err)
		}
	})
}

// testPostgresLogin proves that a login which row-level security does not bind is noticed.
func testPostgresLogin(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	secured := config
	secured.RowSecurity = true
	bare := config
	bare.WireOnly = true
	server.Exec(t, "CREATE ROLE bypasser LOGIN PASSWORD 'by' BYPASSRLS; CREATE ROLE chief LOGIN PASSWORD 'super' SUPERUSER; "+
		"CREATE ROLE strict LOGIN PASSWORD 'strict'; GRANT SELECT ON labels TO strict; CREATE ROLE corrector LOGIN PASSWORD 'corrector'; "+
		"GRANT SELECT, UPDATE (label) ON labels TO corrector; CREATE ROLE outsider LOGIN PASSWORD 'outsider'")
	plain := func(user string) postgres.Config {
		return postgres.Config{URL: secret.Text(server.URL(user, user, "postgres"))}
	}
	as := func(user, password string) postgres.Config {
		return postgres.Config{URL: secret.Text(server.URL(user, password, "postgres")), RowSecurity: true}
	}
	for _, tc := range []struct {
		fact     string
		config   postgres.Config
		warnings []string
	}{
		{"a login that may only read", plain("strict"), nil},
		{"a login that may write to a table", config, []string{"reader may write to tables such as public.writable: "}},
		{"a login that may write to a column", plain("corrector"), []string{"corrector may write to tables such as public.labels: "}},
		{"a login without grants", plain("outsider"), []string{"outsider may read no table: GRANT USAGE ON SCHEMA public TO outsider; GRANT SELECT"}},
		{"a server that need not know logins", bare, nil},
		{"a login that may change on whose behalf it queries", secured, []string{"reader may execute set_config", "reader may write"}},
		{
			"a login that row-level security does not bind", as("bypasser", "by"),
			[]string{"bypasser has BYPASSRLS", "bypasser may execute set_config", "bypasser may read no table"},
		},
		{"a superuser", as("chief", "super"), []string{"chief is a superuser"}},
	} {
		t.Run(tc.fact, func(t *testing.T) { sourcetest.WantWarnings(t, sourcetest.Open(t, &tc.config), tc.warnings...) })
	}
}

// testPostgresExplain proves that a query is looked at for what its login may read, and computes nothing.
func testPostgresExplain(t *testing.T, config postgres.Config) {
	bare := config
	bare.WireOnly = true
	for _, tc := range []struct {
		fact, sql string
		config    postgres.Config
		class     placements.Class // empty: no fault
		message   string
	}{
		{"a table that may be read", "SELECT * FROM labels", config, "", ""},
		{"a table that may not", "SELECT id FROM labels WHERE id IN (SELECT id FROM secrets) -- note", config, placements.Auth, "permission denied for table secrets"},
		{"a table that is not there", "SELECT * FROM nothing", config, placements.Structure, `relation "nothing" does not exist`},
		{"a statement that cannot be explained", "SHOW server_version", config, "", ""},
		{"a query that would fail on a row", "SELECT 1/id FROM labels", config, "", ""},
		{"options for the explanation", "ANALYZE SELECT * FROM labels", config, placements.Structure, "syntax error"},
		{"a server that need not explain", "SELECT * FROM secrets", bare, "", ""},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			err := sourcetest.Open(t, &tc.config).(source.Explainer).Explain(t.Context(), source.Query{SQL: tc.sql})
			fault, _ := errors.AsType[*placements.Fault](err)
			switch {
			case tc.class == "" && err != nil:
				t.Error(err)
			case tc.class != "" && (fault == nil || fault.Class != tc.class || !strings.Contains(fault.Message, tc.message)):
				t.Errorf("got %v, want %s with %q", err, tc.class, tc.message)
			}
		})
	}
}

// testPostgresSession proves that a query leaves nothing behind for the next one on its connection.
func testPostgresSession(t *testing.T, config postgres.Config) {
	config.MaxConnections = 1
	src := sourcetest.Open(t, &config)
	read := func(sql string) string {
		t.Helper()
		_, grid := sourcetest.Table(t, src, source.Query{SQL: sql})
		return fmt.Sprint(grid.Cells(1, nil))
	}
	const lock = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
	backend := read("SELECT pg_backend_pid()")
	read("SELECT set_config('search_path', 'elsewhere', false), pg_advisory_lock(1)")
	if got := read("SELECT pg_backend_pid()"); got != backend {
		t.Fatalf("backend %s, want the one before, %s", got, backend)
	}
	if got, want := read("SELECT current_setting('search_path') = 'elsewhere'"), fmt.Sprint([]checksum.Cell{checksum.Bool(false)}); got != want {
		t.Errorf("search_path is still set")
	}
	if got, want := read(lock), fmt.Sprint([]checksum.Cell{checksum.Num(0)}); got != want {
		t.Errorf("advisory locks are still held")
	}
}

// testPostgresCancel proves that the server stops working on a query without a waiting caller.
func testPostgresCancel(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	src := sourcetest.Open(t, &config)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := src.Query(ctx, source.Query{SQL: "SELECT pg_sleep(3600), 'cancel me'"}, new(checksum.Builder))
		ended <- err
	}()
	const running = `SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%''cancel me''' `
	for server.Exec(t, running)[0][0] != "1" {
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	for server.Exec(t, running)[0][0] != "0" {
	}
}

// testPostgresRestart proves that connections which the server closed are noticed before they are used.
func testPostgresRestart(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	src := sourcetest.Open(t, &config)
	sourcetest.Table(t, src, source.Query{SQL: "SELECT 1"})
	server.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
	sourcetest.Table(t, src, source.Query{SQL: "SELECT 1"})
}

// testPostgresZone proves that what is refused before the query is not told as the query's fault.
func testPostgresZone(t *testing.T, config postgres.Config) {
	src := sourcetest.Open(t, &config)
	_, err := src.Query(context.Background(), source.Query{SQL: "SELECT 1", Location: time.FixedZone("Moon/Tranquility", 3600)}, new(checksum.Builder))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Structure || !strings.Contains(fault.Message, "Moon/Tranquility") ||
		!strings.Contains(fault.Message, "wireOnly") {
		t.Errorf("got %v, want a structure fault about the zone", err)
	}
	sourcetest.Table(t, src, source.Query{SQL: "SELECT 1"})
}

func testPostgresPrivilege(t *testing.T, config postgres.Config) {
	_, err := sourcetest.Open(t, &config).Query(context.Background(), source.Query{SQL: "SELECT * FROM secrets"}, new(checksum.Builder))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Auth {
		t.Fatalf("got %v, want an auth fault", err)
	}
}
