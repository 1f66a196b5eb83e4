//go:build unix

package mysql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/mysql"
	"mooring/refresh/source/sourcetest"
)

// wantFault fails the test unless a query ends with a fault of the class whose message holds the words.
func wantFault(t *testing.T, src source.Source, q source.Query, class placements.Class, words string) {
	t.Helper()
	_, err := src.Query(t.Context(), q, new(checksum.Builder))
	fault, ok := errors.AsType[*placements.Fault](err)
	if !ok || fault.Class != class || !strings.Contains(fault.Message, words) {
		t.Errorf("%s: got %v, want a %s fault that says %q", q.SQL, err, class, words)
	}
}

// mysqlEscapes are texts that look like queries and would do more than read, of a login that may write files.
var mysqlEscapes = []string{
	"SELECT 1 /*! INTO OUTFILE '%s' */",
	"SELECT 1 /*!50000INTO OUTFILE '%s' */",
	"SELECT 1 /*M!100000 INTO OUTFILE '%s' */",
	"/*! INSERT INTO writable VALUES (1) */",
	"SELECT 1.5INTO OUTFILE '%s'",
	"SELECT 1.INTO OUTFILE '%s'",
	"SELECT 1e1INTO OUTFILE '%s'",
	`SELECT \NINTO OUTFILE '%s'`,
	"SELECT''INTO OUTFILE '%s'",
	"SELECT'\\''INTO OUTFILE '%s'",
	"SELECT 'a''b'INTO OUTFILE '%s'",
	"SELECT \"'\"INTO OUTFILE '%s'",
	"SELECT 1--1INTO OUTFILE '%s'",
	"SELECT 1 --\x01 x\nINTO OUTFILE '%s'",
	"SELECT 1 /* /* */ INTO OUTFILE '%s'",
	"SELECT 1 /**/INTO/**/OUTFILE '%s'",
	"SELECT id`INTO`FROM labels INTO OUTFILE '%s'",
	"SELECT @@version_comment INTO OUTFILE '%s'",
	"TABLE labels INTO OUTFILE '%s'",
	"VALUES (1) INTO OUTFILE '%s'",
	"(SELECT 1) INTO OUTFILE '%s'",
	"(SELECT 1 INTO OUTFILE '%s')",
	"SELECT 1 UNION SELECT 2 INTO OUTFILE '%s'",
	"WITH a AS (SELECT 1) SELECT * FROM a INTO OUTFILE '%s'",
	"SELECT id FROM writable FOR /* */ UPDATE",
	"SELECT id FROM writable LOCK\nIN SHARE MODE",
	"SELECT id FROM writable WHERE id=1.5LOCK IN SHARE MODE",
	"SELECT (SELECT writes())",
	"SELECT 1;COMMIT;INSERT INTO writable VALUES (1)",
	"SELECT 1;\x00INSERT INTO writable VALUES (1)",
	"SELECT '\\'; INSERT INTO writable VALUES (1); -- '",
	"SELECT 1 FROM writable PROCEDURE writes()",
}

func testMySQLEscapes(t *testing.T, server *sourcetest.MariaDB, config mysql.Config) {
	src := sourcetest.Open(t, &config)
	for _, escape := range mysqlEscapes {
		escape = strings.ReplaceAll(escape, "%s", server.Dir+"/data/escaped")
		if _, err := src.Query(t.Context(), source.Query{SQL: escape}, new(checksum.Builder)); err == nil && strings.Contains(escape, "OUTFILE") {
			t.Errorf("%s is run", escape)
		}
	}
	wantUnchanged(t, server)
}

// testMySQLEncryption proves that a connection is encrypted and with whom, unless the operator wants neither.
func testMySQLEncryption(t *testing.T, server *sourcetest.MariaDB, config mysql.Config) {
	cipher := source.Query{SQL: "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'"}
	for _, tc := range []struct {
		fact, tls, ca string
		encrypted     bool
	}{
		{"a certificate that is vouched for", "", server.CA, true},
		{"a certificate that nobody looks at", "unverified", "", true},
		{"none", "off", "", false},
	} {
		config := config
		config.TLS, config.CA = tc.tls, tc.ca
		_, grid := sourcetest.Table(t, sourcetest.Open(t, &config), cipher)
		if got := grid.Cells(1, nil); (len(got) > 0) != tc.encrypted {
			t.Errorf("%s: the cipher is %v", tc.fact, got)
		}
	}
	config.CA = ""
	wantFault(t, sourcetest.Open(t, &config), cipher, placements.Auth, "certificate is not trusted")
}

// testMySQLLogin proves that a login which may do more than read, or cannot, is noticed.
func testMySQLLogin(t *testing.T, server *sourcetest.MariaDB) {
	server.Exec(t, "CREATE USER strict@'127.0.0.1' IDENTIFIED BY 'strict'; GRANT SELECT ON labels TO strict@'127.0.0.1'; "+
		"CREATE USER eraser@'127.0.0.1' IDENTIFIED BY 'eraser'; GRANT SELECT, DELETE ON labels TO eraser@'127.0.0.1'; "+
		"CREATE USER chief@'127.0.0.1' IDENTIFIED BY 'chief'; GRANT ALL ON *.* TO chief@'127.0.0.1'")
	for _, tc := range []struct {
		login, password string
		warnings        []string
	}{
		{"strict", "strict", nil},
		{"eraser", "eraser", []string{"eraser@127.0.0.1 may write to shop.labels: "}},
		{"guest", "guest", []string{"guest@127.0.0.1 may read no table"}},
		{"chief", "chief", []string{"chief@127.0.0.1 has FILE or SUPER", "chief@127.0.0.1 may write to *.*: "}},
	} {
		t.Run(tc.login, func(t *testing.T) {
			database := "shop"
			if tc.login == "guest" {
				database = ""
			}
			config := mysql.Config{URL: secret.Text(server.URL(tc.login, tc.password, database)), CA: server.CA}
			sourcetest.WantWarnings(t, sourcetest.Open(t, &config), tc.warnings...)
		})
	}
}

// testMySQLSession proves that a query leaves nothing behind for the next one, and that the server's own settings do not decide results.
func testMySQLSession(t *testing.T, config mysql.Config) {
	config.MaxConnections = 1
	src := sourcetest.Open(t, &config)
	read := func(sql string) string {
		t.Helper()
		_, grid := sourcetest.Table(t, src, source.Query{SQL: sql})
		return fmt.Sprint(grid.Cells(1, nil))
	}
	read("SELECT @left := 'behind', GET_LOCK('behind', 0), LAST_INSERT_ID(7)")
	want := fmt.Sprint([]checksum.Cell{checksum.Num(1), checksum.Num(0)})
	if got := read("SELECT @left IS NULL, LAST_INSERT_ID()"); got != want {
		t.Errorf("variable and id of the query before: %s, want %s", got, want)
	}
	for read("SELECT IS_FREE_LOCK('behind')") != fmt.Sprint([]checksum.Cell{checksum.Num(1)}) { // the server needs a moment to see the end
	}
	want = fmt.Sprint([]checksum.Cell{checksum.Num(1), checksum.Str("utf8mb4")})
	if got := read("SELECT @@sql_mode = '', @@character_set_results"); got != want {
		t.Errorf("mode and character set: %s, want %s", got, want)
	}
	wantFault(t, src, source.Query{SQL: "SELECT ?"}, placements.Structure, "parameter")
	wantFault(t, src, source.Query{SQL: "SELECT * FROM secrets"}, placements.Auth, "secrets")
}

// testMySQLCancel proves that the server stops working on a query without a waiting caller, and on one whose result is too large.
func testMySQLCancel(t *testing.T, server *sourcetest.MariaDB, config mysql.Config) {
	const running = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'reader' AND command <> 'Sleep' AND info LIKE '%cancel me%'"
	src := sourcetest.Open(t, &config)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := src.Query(ctx, source.Query{SQL: "SELECT SLEEP(3600), 'cancel me'"}, new(checksum.Builder))
		ended <- err
	}()
	for server.Number(t, running) == 0 {
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	for server.Number(t, running) != 0 {
	}
	// Some rows, and then none for an hour.
	q := source.Query{SQL: "SELECT seq, REPEAT('x', 100), IF(seq > 2000, SLEEP(3600), 'cancel me') FROM numbers.seq_1_to_3000", MaxRows: 10}
	wantFault(t, src, q, placements.Structure, "more than 10 rows")
	for server.Number(t, running) != 0 {
	}
}

// testMySQLZone proves that dates are of the report's zone, whether the server knows it or not.
func testMySQLZone(t *testing.T, server *sourcetest.MariaDB, config mysql.Config) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	src := sourcetest.Open(t, &config)
	look := func() string {
		t.Helper()
		_, grid := sourcetest.Table(t, src, source.Query{SQL: "SELECT ts, FLOOR(TIME_TO_SEC(TIMEDIFF(NOW(), UTC_TIMESTAMP())) / 900 + 0.5) FROM kinds", Location: berlin})
		return fmt.Sprint(grid.Cells(1, nil))
	}
	const day = 45418 // 2024-05-06
	_, offset := time.Now().In(berlin).Zone()
	want := fmt.Sprint([]checksum.Cell{checksum.Num(day + 8./24), checksum.Num(float64(offset / 900))})
	if got := look(); got != want {
		t.Errorf("a server without zones: %s, want %s", got, want)
	}
	warnings, err := src.(source.Warner).Warnings(t.Context(), berlin)
	if err != nil || !strings.Contains(strings.Join(warnings, "\n"), "knows no time zone Europe/Berlin") {
		t.Errorf("warnings %q, %v", warnings, err)
	}
	server.Exec(t, "INSERT INTO mysql.time_zone VALUES (1, 'N'); INSERT INTO mysql.time_zone_name VALUES ('Europe/Berlin', 1); "+
		"INSERT INTO mysql.time_zone_transition_type VALUES (1, 0, 7200, 1, 'CEST'); "+
		"INSERT INTO mysql.time_zone_transition VALUES (1, -2147483648, 0)")
	if got, want := look(), fmt.Sprint([]checksum.Cell{checksum.Num(day + 8./24), checksum.Num(8)}); got != want {
		t.Errorf("a server that knows the zone: %s, want %s", got, want)
	}
}

// testMySQLCut proves that what the server itself cuts is no result.
func testMySQLCut(t *testing.T, config mysql.Config) {
	src := sourcetest.Open(t, &config)
	for _, sql := range []string{
		"SELECT REPEAT('x', 100000000)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT COUNT(*) FROM n",
	} {
		wantFault(t, src, source.Query{SQL: sql}, placements.Structure, "the server cut the result")
	}
	_, grid := sourcetest.Table(t, src, source.Query{SQL: "SELECT LENGTH(GROUP_CONCAT(REPEAT('x', 1000) SEPARATOR '')) FROM numbers.seq_1_to_2000"})
	if got := grid.Cells(1, nil)[0]; got != checksum.Num(2_000_000) {
		t.Errorf("GROUP_CONCAT is %v long, want 2,000,000", got)
	}
}

func testMySQLPlaces(t *testing.T, config mysql.Config) {
	src := sourcetest.Open(t, &config).(source.Preparer)
	for _, row := range []struct {
		fact, sql, want string
		line, column    int // 0: not known
	}{
		{"a table that does not exist", "SELECT id\n  FROM numbers.nowhere", "nowhere", 2, 16},
		{"a table in quotes", "SELECT id\n  FROM numbers.`nowhere`", "nowhere", 2, 16},
		{"a column of an alias", "SELECT 'l.gone', l.gone FROM labels l", "gone", 1, 20},
		{"a function that does not exist", "SELECT\n nothing(1)", "nothing", 2, 2},
		{"the end of the text", "SELECT id FROM", "near ''", 1, 15},
		{"a word too many", "SELECT id\nFROM labels x y", "near 'y'", 2, 15},
		{"characters of several bytes", "SELECT 1,\nü€ FRM, " + strings.Repeat("1, ", 50) + "1 FROM FROM", "near", 2, 166},
		{"a long text behind it", "SELECT\n 1 1, " + strings.Repeat("1, ", 50) + "1", "near '1, 1", 2, 4},
		{"a table that may not be read", "SELECT * FROM secrets", "", 0, 0},
	} {
		_, err := src.Prepare(t.Context(), source.Query{SQL: row.sql})
		var at source.PositionError
		if known, ok := errors.AsType[*source.PositionError](err); ok {
			at = *known
		}
		if err == nil || !strings.Contains(err.Error(), row.want) || at.Line != row.line || at.Column != row.column {
			t.Errorf("%s: line %d, column %d, want %d, %d and %s: %v", row.fact, at.Line, at.Column, row.line, row.column, row.want, err)
		}
	}
}
