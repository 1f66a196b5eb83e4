//go:build unix

package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

// tellingSample are functions that an author of queries may find on a server, each of which tells what it is given when it fails.
const tellingSample = `
CREATE FUNCTION telling(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''%'', t USING DETAIL = t, HINT = t; END';
CREATE FUNCTION denying(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''42501'', MESSAGE = t; END';
CREATE FUNCTION cancelling(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''57014'', MESSAGE = t; END';
CREATE FUNCTION ending(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''57P05'', MESSAGE = t; END';
CREATE FUNCTION coding(t text) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN RAISE EXCEPTION USING ERRCODE = upper(rpad(substr(t, 1, 5), 5, ''0'')), MESSAGE = t; END';
CREATE FUNCTION building(t text) RETURNS integer LANGUAGE plpgsql AS 'DECLARE n integer; BEGIN EXECUTE ''SELECT '' || quote_ident(t) INTO n; RETURN n; END';
CREATE FUNCTION constant() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT string_agg(item, '','') FROM orders)::integer; END';
CREATE FUNCTION inlined(t text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT t::integer';
CREATE FUNCTION inlines() RETURNS integer STABLE LANGUAGE sql AS 'SELECT (SELECT string_agg(item, '','') FROM orders)::integer';
CREATE FUNCTION declares(t text) RETURNS integer LANGUAGE plpgsql AS 'DECLARE n integer := t; BEGIN RETURN n; END';
CREATE FUNCTION asserts(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN ASSERT false, t; RETURN 1; END';
CREATE FUNCTION warns(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''%'', t; RETURN 1/0; END';
CREATE FUNCTION runs(t text) RETURNS integer LANGUAGE plpgsql AS 'BEGIN EXECUTE ''DO $d$ BEGIN '' || t || '' END $d$''; RETURN 1; END';
CREATE DOMAIN knot AS text CHECK (telling(VALUE) > 0);
`

// telling are queries of ann, who may see the item rope, which bring it into the text of an error.
var telling = []string{
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regclass",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regproc",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regtype",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regrole",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regnamespace",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regconfig",
	"SELECT (SELECT string_agg(item, ',') FROM orders)::regoperator",
	"SELECT item::integer FROM orders",
	"SELECT item::date FROM orders",
	"SELECT item::boolean FROM orders",
	"SELECT item::uuid FROM orders",
	"SELECT item::inet FROM orders",
	"SELECT item::interval FROM orders",
	"SELECT item::point FROM orders",
	"SELECT item::mood FROM orders",
	"SELECT ('{' || item)::text[] FROM orders",
	"SELECT item::int4range FROM orders",
	"SELECT ('{\"a\": ' || item || '}')::json FROM orders",
	"SELECT ('{\"a\": ' || item || '}')::jsonb FROM orders",
	"SELECT jsonb_path_query('{}', ('$ ' || item)::jsonpath) FROM orders",
	"SELECT jsonb_path_query('{}', ('strict $.' || item)::jsonpath) FROM orders",
	"SELECT jsonb_set('[1]', ARRAY[item], '1') FROM orders",
	"SELECT jsonb_populate_record(NULL::changes, jsonb_build_object('i', item)) FROM orders",
	"SELECT i FROM orders, json_to_record(json_build_object('i', item)) AS r(i integer)",
	"SELECT ('<' || item)::xml FROM orders",
	"SELECT xpath('/' || item || '[', '<a/>') FROM orders",
	"SELECT query_to_xml('SELECT ' || item, true, true, '') FROM orders",
	"SELECT query_to_xml('SELECT nothing FROM ' || item, true, true, '') FROM orders",
	"SELECT table_to_xml((SELECT string_agg(item, ',') FROM orders)::regclass, true, true, '')",
	"SELECT database_to_xml(true, true, item || ' WHERE') FROM orders WHERE (item || '1')::bigint > 0",
	"SELECT to_date(item, 'YYYY-MM-DD') FROM orders",
	"SELECT to_timestamp(item, 'YYYY') FROM orders",
	"SELECT to_number(item, 'MI' || item || 'MI') FROM orders WHERE item::numeric > 0",
	"SELECT 'x' ~ ('(' || item) FROM orders WHERE convert_to(item, item) IS NOT NULL",
	"SELECT encode('x', item) FROM orders",
	"SELECT decode(item, 'hex') FROM orders",
	"SELECT convert_to('x', item) FROM orders",
	"SELECT date_trunc(item, now()) FROM orders",
	"SELECT extract(year FROM now() AT TIME ZONE item) FROM orders",
	"SELECT date_part(item, now()) FROM orders",
	"SELECT current_setting(item) FROM orders",
	"SELECT current_setting('mooring.' || item) FROM orders",
	"SELECT nextval(item) FROM orders",
	"SELECT pg_get_serial_sequence(item, item) FROM orders",
	"SELECT has_table_privilege(item, 'SELECT') FROM orders",
	"SELECT has_table_privilege('labels', item) FROM orders",
	"SELECT pg_get_viewdef(item) FROM orders",
	"SELECT to_tsquery('english', item || ' & (') FROM orders",
	"SELECT (item || ' & (')::tsquery FROM orders",
	"SELECT setweight(to_tsvector(item::regconfig, 'x'), 'A') FROM orders",
	"SELECT format(item || '%z') FROM orders WHERE item::integer = 1",
	"SELECT pg_read_file(item) FROM orders",
	"SELECT make_date(length(item), 99, 1) FROM orders WHERE item::float > 1",
	"SELECT string_to_array(item, ',')::integer[] FROM orders",
	"SELECT 1 / (SELECT count(*) FROM orders WHERE item = 'chain')",
	"SELECT (SELECT item FROM orders UNION ALL SELECT 'rope')::integer",
	"SELECT telling(item) FROM orders",
	"SELECT denying(item) FROM orders",
	"SELECT cancelling(item) FROM orders",
	"SELECT ending(item) FROM orders",
	"SELECT coding(item) FROM orders",
	"SELECT building(item) FROM orders",
	"SELECT inlined(item) FROM orders",
	"SELECT inlines()",
	"SELECT constant()",
	"SELECT declares(item) FROM orders",
	"SELECT asserts(item) FROM orders",
	"SELECT warns(item) FROM orders",
	"SELECT runs(item) FROM orders",
	"SELECT runs('RAISE EXCEPTION ''%', ' || quote_literal(item)) FROM orders",
	"SELECT item::knot FROM orders",
	"SELECT i FROM generate_series(1, (SELECT item::integer FROM orders)) AS i",
	"SELECT 1 LIMIT (SELECT item::integer FROM orders)",
	"SELECT * FROM generate_series(1, 2) ORDER BY (SELECT item::integer FROM orders)",
	"VALUES ((SELECT item::integer FROM orders))",
	"EXPLAIN ANALYZE SELECT item::integer FROM orders",
	"DO $$ BEGIN RAISE EXCEPTION '%', (SELECT string_agg(item, ',') FROM orders); END $$",
	"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '42703', MESSAGE = (SELECT string_agg(item, ',') FROM orders); END $$",
	"DO $$ BEGIN SET LOCAL mooring.uid = '8'; SET LOCAL mooring.email = 'bob@example.com'; SET LOCAL mooring.roles = '4'; " +
		"RAISE EXCEPTION '%', (SELECT string_agg(item, ',') FROM orders); END $$",
}

// testPostgresUntold proves that with row security no error quotes a row, whichever way the row got into it, and that what is wrong
// with the query's text is still told.
func testPostgresUntold(t *testing.T, server *sourcetest.Postgres, config postgres.Config) {
	server.Exec(t, tellingSample)
	config.RowSecurity = true
	src := sourcetest.Open(t, &config)
	ann := source.User{Tenant: "acme", ID: 7, Email: "ann@example.com", Roles: []int64{3}}
	quotes := func(err error) bool {
		said := ""
		for e := err; e != nil; e = errors.Unwrap(e) {
			said += fmt.Sprintf("%v %+v %#v\n", e, e, e)
		}
		said = strings.ToLower(said)
		return strings.Contains(said, "rope") || strings.Contains(said, "chain")
	}
	for _, sql := range telling {
		t.Run(sql, func(t *testing.T) {
			q := source.Query{SQL: sql, User: ann}
			_, ran := src.Query(t.Context(), q, new(checksum.Builder))
			if ran == nil {
				t.Error("the query runs, want one that fails")
			}
			_, prepared := src.(source.Preparer).Prepare(t.Context(), q)
			for _, err := range []error{ran, prepared, src.(source.Explainer).Explain(t.Context(), q)} {
				if fault, ok := errors.AsType[*placements.Fault](err); err != nil && !ok || quotes(err) {
					t.Errorf("the error quotes a row, or is no fault: %v (%v)", err, fault)
				}
			}
		})
	}
	for sql, says := range map[string]string{
		"SELECT missing FROM orders":                `column "missing" does not exist`,
		"SELECT item FROM missing":                  `relation "missing" does not exist`,
		"SELECT missing(item) FROM orders":          "function missing(text) does not exist",
		"SELECT item FRM orders":                    "syntax error",
		"SELECT 'x'::integer":                       `invalid input syntax for type integer: "x"`,
		"SELECT item + 1 FROM orders":               "operator does not exist: text + integer",
		"SELECT item, count(*) FROM orders":         `must appear in the GROUP BY clause`,
		"SELECT 1; SELECT 2":                        "more than one statement",
		"DO $$ BEGIN END $$":                        "has no result",
		"SELECT 1/0":                                "an error of class 22 (data exception), whose text is left out",
		"SELECT id FROM secrets":                    "does not allow the query: an error of class 42",
		"SELECT ending(item) FROM orders":           "now: an error of class 57 (operator intervention)",
		"SELECT coding(item) FROM orders":           "internal error (XX000)",
		"SELECT denying(item) FROM orders WHERE $1": "has a parameter such as $1",
	} {
		t.Run(sql, func(t *testing.T) {
			_, err := src.Query(t.Context(), source.Query{SQL: sql, User: ann}, new(checksum.Builder))
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v, want %q", err, says)
			}
		})
	}
	var at *source.PositionError
	_, err := src.(source.Preparer).Prepare(t.Context(), source.Query{SQL: "SELECT 1,\n missing FROM orders", User: ann})
	if !errors.As(err, &at) || at.Line != 2 || at.Column != 2 {
		t.Errorf("got %#v, want the place of the fault", err)
	}
}
