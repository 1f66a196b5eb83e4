package mysql

import (
	"strings"
	"testing"
	"time"

	"mooring/refresh/source"
)

func TestQueriesAreOneSelect(t *testing.T) {
	for _, row := range []struct{ sql, refusal string }{ // no refusal: it is sent
		{"SELECT 1", ""},
		{"select 1;", ""},
		{" /* why */ -- and\n# how\nWITH a AS (SELECT 1) SELECT * FROM a ; -- done", ""},
		{"(SELECT 1) UNION (SELECT 2)", ""},
		{"VALUES (1)", ""},
		{"TABLE labels", ""},
		{"SELECT 'INTO', \"; INSERT\", `into`, 'a''; b', 'c\\'; d', \"e\\\"; f\"", ""},
		{"SELECT /*+ MAX_EXECUTION_TIME(1) */ 1 -- INTO", ""},
		{"SELECT converted_into, into_account FROM labels", ""},
		{"SELECT SUBSTRING(a FROM 1 FOR 2) FROM b FORCE INDEX FOR JOIN (c)", ""},
		{"SELECT 1 IN (SELECT 2)", ""},
		{"SELECT @into, @lock IN (1)", ""},
		{"SELECT '\\\\' -- '", ""},
		{"", "no query"},
		{"-- nothing", "no query"},
		{";", "no query"},
		{"SELECT 1; SELECT 2", "more than one statement"},
		{"SELECT '\\\\'; SELECT 2 -- '", "more than one statement"},
		{"SELECT 1 --2; SELECT 2", "more than one statement"},
		{"INSERT INTO a VALUES (1)", "more than read"},
		{"`SELECT` 1", "more than read"},
		{"SHOW TABLES", "more than read"},
		{"SELECT 1 INTO @a", "more than read"},
		{"SELECT 1.5into @a", "more than read"},
		{`SELECT \Ninto @a`, "more than read"},
		{"SELECT 1 /*/ INTO @a /*/ into @a", "more than read"},
		{"SELECT a FROM b FOR UPDATE", "more than read"},
		{"SELECT a FROM b FOR SHARE", "more than read"},
		{"SELECT a FROM b LOCK IN SHARE MODE", "more than read"},
		{"SELECT 1 /*! , 2 */", "would run, /*!"},
		{"SELECT 1 /*M!100100 , 2 */", "would run, /*M!"},
	} {
		err := wantRead(source.Query{SQL: row.sql})
		if err == nil && row.refusal != "" || err != nil && (row.refusal == "" || !strings.Contains(err.Error(), row.refusal)) {
			t.Errorf("%s: %v, want %q", row.sql, err, row.refusal)
		}
	}
}

func TestTheTimeoutIsSetAsTheServerHasIt(t *testing.T) {
	s := &server{config: Config{Limits: source.Limits{StatementTimeout: 90 * time.Second}}}
	for version, want := range map[string]string{
		"8.4.3":                          "max_execution_time=90000",
		"10.11.19-MariaDB-0+deb12u1":     "max_statement_time=90.000000",
		"5.5.5-10.6.16-MariaDB-log":      "max_statement_time=90.000000",
		"8.0.36-0ubuntu0.22.04.1-custom": "max_execution_time=90000",
	} {
		if got := s.settings(&session{version: version, zone: zone{name: "+00:00"}}); !strings.HasSuffix(got, ", "+want) {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
