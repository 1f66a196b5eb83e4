//go:build unix

package mysql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/mysql"
	"mooring/refresh/source/sourcetest"
)

const mysqlSample = `
CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'read-only';
CREATE USER guest@'127.0.0.1' IDENTIFIED BY 'guest';
CREATE USER stranger@'127.0.0.1' IDENTIFIED BY 'stranger' WITH MAX_QUERIES_PER_HOUR 1;
GRANT SELECT ON shop.* TO stranger@'127.0.0.1';
CREATE TABLE labels (id integer, label text);
CREATE TABLE changes (i integer);
CREATE TABLE writable (id integer);
CREATE TABLE plain (id integer) ENGINE=MyISAM;
CREATE TABLE secrets (id integer);
INSERT INTO labels VALUES (1, 'one'), (2, 'two');
DELETE FROM labels;
INSERT INTO writable VALUES (0);
CREATE SEQUENCE counter;
CREATE FUNCTION raises() RETURNS integer DETERMINISTIC BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'it ran'; RETURN 1; END;
CREATE FUNCTION tells(t text) RETURNS integer DETERMINISTIC BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = t; RETURN 1; END;
CREATE FUNCTION writes() RETURNS integer BEGIN INSERT INTO writable VALUES (1); RETURN 1; END;
CREATE PROCEDURE breaks() BEGIN COMMIT; INSERT INTO writable VALUES (1); SELECT 1; END;
GRANT SELECT ON labels TO reader@'127.0.0.1';
GRANT SELECT ON changes TO reader@'127.0.0.1';
GRANT ALL ON writable TO reader@'127.0.0.1';
GRANT ALL ON plain TO reader@'127.0.0.1';
GRANT ALL ON counter TO reader@'127.0.0.1';
GRANT EXECUTE, CREATE, CREATE TEMPORARY TABLES ON shop.* TO reader@'127.0.0.1';
GRANT FILE ON *.* TO reader@'127.0.0.1';
CREATE DATABASE ` + "`Sales team`" + `;
CREATE TABLE ` + "`Sales team`.`order`" + ` (` + "`Net ``Total```" + ` decimal(10,2) COMMENT 'Without tax', day date, at timestamp NULL, paid boolean, hidden text)
  COMMENT 'What customers ordered';
GRANT SELECT (` + "`Net ``Total```" + `, day, at, paid) ON ` + "`Sales team`.`order`" + ` TO reader@'127.0.0.1';
CREATE VIEW ` + "`Sales team`" + `.totals AS SELECT count(*) AS n, time '01:00' AS took FROM labels;
GRANT SELECT ON ` + "`Sales team`" + `.totals TO reader@'127.0.0.1';
CREATE DATABASE numbers; -- of which every sequence is a table
GRANT SELECT ON numbers.* TO reader@'127.0.0.1';
CREATE DATABASE closed;
CREATE TABLE closed.ledger (id integer);
CREATE TABLE kinds (
  tiny tinyint, small smallint unsigned, medium mediumint, big bigint unsigned, yes boolean, no tinyint(1), odd boolean,
  flag bit(1), bits bit(9), yr year, price decimal(10,2), single float, dbl double,
  d date, nod date, part date, dt datetime, fine datetime(3), nodt datetime, ts timestamp NULL, clock time, span time(2), less time,
  e enum('calm', 'rough'), s set('a', 'b'), doc json, txt text, wide varchar(9) CHARACTER SET utf8mb4, raw blob, bin binary(2), shape point,
  id uuid, ip inet6);
SET sql_mode='', time_zone='+00:00';
INSERT INTO kinds VALUES (
  -7, 65535, -8388608, 18446744073709551615, 1, 0, 7,
  b'1', b'100000001', 2024, 12.50, 0.1, 0.30000000000000004,
  '2024-05-06', '0000-00-00', '2024-05-00', '2024-05-06 06:00:00', '2024-05-06 06:00:00.500', '0000-00-00', '2024-05-06 06:00:00',
  '18:00', '36:00:00.50', '-01:30:00',
  'rough', 'a,b', '{"a": [1, 2]}', 'plain', 'ü€😀', x'00ff', x'00ff', point(1, 2),
  '00112233-4455-6677-8899-aabbccddeeff', '2001:db8::1');
GRANT SELECT ON kinds TO reader@'127.0.0.1';
`

// mysqlListed is what of the sample the reader may read.
func mysqlListed() []source.Dataset {
	field := func(name string, is source.FieldType) source.Field {
		return source.Field{Name: name, Insert: name, Type: is}
	}
	id := field("id", source.TypeNumber)
	kinds := source.Dataset{Name: "kinds", Kind: source.KindTable, Insert: "kinds"}
	for _, of := range []struct {
		is    source.FieldType
		names []string
	}{
		{source.TypeNumber, []string{"tiny", "small", "medium", "big"}},
		{source.TypeBoolean, []string{"yes", "no", "odd", "flag"}},
		{source.TypeNumber, []string{"bits", "yr", "price", "single", "dbl"}},
		{source.TypeDate, []string{"d", "nod", "part"}},
		{source.TypeDateTime, []string{"dt", "fine", "nodt", "ts"}},
		{source.TypeDuration, []string{"clock", "span", "less"}},
		{source.TypeText, []string{"e", "s", "doc", "txt", "wide"}},
		{source.TypeOther, []string{"raw", "bin", "shape"}},
		{source.TypeText, []string{"id", "ip"}},
	} {
		for _, name := range of.names {
			kinds.Columns = append(kinds.Columns, field(name, of.is))
		}
	}
	net := source.Field{Name: "Net `Total`", Insert: "`Net ``Total```", Description: "Without tax", Type: source.TypeNumber}
	return []source.Dataset{
		{Name: "changes", Kind: source.KindTable, Insert: "changes", Columns: []source.Field{field("i", source.TypeNumber)}},
		kinds,
		{Name: "labels", Kind: source.KindTable, Insert: "labels", Columns: []source.Field{id, field("label", source.TypeText)}},
		{Name: "plain", Kind: source.KindTable, Insert: "plain", Columns: []source.Field{id}},
		{Name: "writable", Kind: source.KindTable, Insert: "writable", Columns: []source.Field{id}},
		{
			Name: "Sales team.order", Kind: source.KindTable, Description: "What customers ordered", Insert: "`Sales team`.`order`",
			Columns: []source.Field{net, field("day", source.TypeDate), field("at", source.TypeDateTime), field("paid", source.TypeBoolean)},
		},
		{
			Name: "Sales team.totals", Kind: source.KindView, Insert: "`Sales team`.totals",
			Columns: []source.Field{field("n", source.TypeNumber), field("took", source.TypeDuration)},
		},
	}
}

func TestMySQL(t *testing.T) {
	server := sourcetest.StartMariaDB(t)
	server.Exec(t, mysqlSample)
	config := mysql.Config{URL: secret.Text(server.URL("reader", "read-only", "shop")), CA: server.CA}
	t.Run("suite", func(t *testing.T) { sourcetest.Run(t, mysqlSubject(t, server, config)) })
	t.Run("escapes", func(t *testing.T) { testMySQLEscapes(t, server, config) })
	t.Run("encryption", func(t *testing.T) { testMySQLEncryption(t, server, config) })
	t.Run("login", func(t *testing.T) { testMySQLLogin(t, server) })
	t.Run("session", func(t *testing.T) { testMySQLSession(t, config) })
	t.Run("cancel", func(t *testing.T) { testMySQLCancel(t, server, config) })
	t.Run("zone", func(t *testing.T) { testMySQLZone(t, server, config) })
	t.Run("cut", func(t *testing.T) { testMySQLCut(t, config) })
	t.Run("places", func(t *testing.T) { testMySQLPlaces(t, config) })
	t.Run("memory", func(t *testing.T) {
		sourcetest.Memory(t, &config, 300_000, source.Query{
			SQL: "SELECT seq, seq * 1.5, CONCAT('customer number ', seq), seq % 2 = 0 FROM numbers.seq_1_to_300000",
		})
	})
}

func mysqlSubject(t *testing.T, server *sourcetest.MariaDB, config mysql.Config) sourcetest.Subject {
	as := func(user, password, database string) source.Config {
		return &mysql.Config{URL: secret.Text(server.URL(user, password, database)), CA: server.CA}
	}
	s := sourcetest.SQL(&config)
	s.Cells = mysqlCells(t)
	s.Listed = mysqlListed()
	s.Rows = func(n int) source.Query {
		return source.Query{SQL: fmt.Sprintf("SELECT seq, CONCAT('row ', seq) FROM numbers.seq_1_to_%d", n)}
	}
	s.Unending = source.Query{SQL: "SELECT seq FROM numbers.seq_1_to_1000000000000"}
	s.Endless = source.Query{SQL: "SELECT SLEEP(3600)"}
	s.Writes = mysqlWrites(server.Dir)
	s.Several = append(s.Several, "COMMIT; INSERT INTO writable VALUES (1)", "SELECT 1; COMMIT; INSERT INTO writable VALUES (1)")
	s.Bound, s.Escapes = boundInMySQL(), mysqlEscapes
	s.Telling = []source.Query{
		{SQL: "SELECT EXTRACTVALUE('<a/>', CONCAT('~', @text))"},
		{SQL: "SELECT EXTRACTVALUE('<a/>', @text)"},
		{SQL: "SELECT UPDATEXML('<a/>', CONCAT('/a', @text), '')"},
		{SQL: "SELECT tells(@text)"},
		{SQL: "SELECT 'x' REGEXP CONCAT('(', @text)"},
	}
	s.Unchanged = func(t *testing.T) { wantUnchanged(t, server) }
	s.Unreachable = map[string]sourcetest.Unreachable{
		"a wrong password":   {Config: as("reader", "guess-what", "shop"), Class: placements.Auth},
		"a missing database": {Config: as("reader", "read-only", "nowhere"), Class: placements.Structure},
		"too many queries":   {Config: as("stranger", "stranger", "shop"), Class: placements.Transient},
		"a server without the certificate": {
			Config: &mysql.Config{URL: secret.Text(server.URL("reader", "read-only", "shop"))}, Class: placements.Auth,
		},
		"nobody listens": {
			Config: &mysql.Config{URL: secret.Text(fmt.Sprintf("mysql://reader:read-only@127.0.0.1:%d/shop", sourcetest.FreePort(t)))},
			Class:  placements.Transient,
		},
	}
	s.Change = func(t *testing.T) { server.Exec(t, "INSERT INTO changes VALUES (1)") }
	s.NoProbes = map[string]source.Probe{
		"query":  {},
		"listen": {Listen: "changes"},
	}
	s.Internals = []string{"127.0.0.1", strconv.Itoa(server.Port), "read-only", "guess-what", server.Dir, "Error 1"}
	return s
}

// mysqlWrites are statements that do more than read; some would leave files in dir, which the login may.
func mysqlWrites(dir string) []string {
	return []string{
		"INSERT INTO writable VALUES (1)",
		"INSERT INTO plain VALUES (1)",
		"INSERT INTO writable VALUES (1) RETURNING id",
		"REPLACE INTO writable VALUES (1)",
		"UPDATE writable SET id = 1",
		"DELETE FROM writable",
		"DELETE FROM writable RETURNING id",
		"TRUNCATE TABLE writable",
		"CREATE TABLE more (i integer)",
		"CREATE TEMPORARY TABLE more (i integer)",
		"DROP TABLE writable",
		"ANALYZE TABLE writable",
		"ANALYZE FORMAT=JSON SELECT 1",
		"SELECT NEXTVAL(counter)",
		"SELECT SETVAL(counter, 100)",
		"SELECT writes()",
		"SELECT id FROM writable FOR UPDATE",
		"SELECT id FROM writable LOCK IN SHARE MODE",
		"SELECT 1 INTO OUTFILE '" + filepath.Join(dir, "data", "escaped") + "'",
		"SELECT 1 INTO DUMPFILE '" + filepath.Join(dir, "data", "escaped") + "'",
		"SELECT 1 INTO @x",
		"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE writable",
		"LOAD DATA INFILE '/etc/passwd' INTO TABLE writable",
		"CALL breaks()",
		"DO writes()",
		"BEGIN NOT ATOMIC COMMIT; INSERT INTO writable VALUES (1); END",
		"EXECUTE IMMEDIATE 'INSERT INTO writable VALUES (1)'",
		"PREPARE p FROM 'INSERT INTO writable VALUES (1)'",
		"HANDLER writable OPEN",
		"LOCK TABLES writable WRITE",
		"SET SESSION TRANSACTION READ WRITE",
		"SET STATEMENT max_statement_time = 0 FOR SELECT 1",
		"SET @x = 1", "SET GLOBAL max_connections = 1",
		"COMMIT", "ROLLBACK", "BEGIN", "START TRANSACTION READ WRITE",
		"KILL 1", "FLUSH TABLES", "RESET QUERY CACHE", "SHUTDOWN",
		"GRANT ALL ON *.* TO reader@'127.0.0.1'",
	}
}

// wantUnchanged fails the test if a write had any effect.
func wantUnchanged(t *testing.T, server *sourcetest.MariaDB) {
	t.Helper()
	if n := server.Number(t, "SELECT COUNT(*) + SUM(id) + (SELECT COUNT(*) FROM shop.plain) FROM shop.writable"); n != 1 {
		t.Errorf("the tables hold %d, want one row of zero", n)
	}
	if n := server.Number(t, "SELECT next_not_cached_value FROM shop.counter"); n != 1 {
		t.Errorf("the counter is at %d, want 1", n)
	}
	for _, dir := range []string{server.Dir, filepath.Join(server.Dir, "data"), filepath.Join(server.Dir, "data", "shop")} {
		if _, err := os.Stat(filepath.Join(dir, "escaped")); err == nil {
			t.Errorf("a file was written to %s", dir)
		}
	}
}

func mysqlCells(t *testing.T) []sourcetest.CellCase {
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
	of := func(column string, want checksum.Cell, format string) sourcetest.CellCase {
		return cell(column+" FROM kinds", want, format)
	}
	num, str := checksum.Num, checksum.Str
	const day = 45418 // 2024-05-06
	const date, dateTime, duration = checksum.DateFormat, checksum.DateTimeFormat, checksum.DurationFormat
	return []sourcetest.CellCase{
		of("tiny", num(-7), ""),
		of("small", num(65535), ""),
		of("medium", num(-8388608), ""),
		of("big", str("18446744073709551615"), ""),
		cell("9007199254740992", num(1<<53), ""),
		cell("9007199254740993", str("9007199254740993"), ""),
		of("yes", checksum.Bool(true), ""),
		of("no", checksum.Bool(false), ""),
		of("odd", num(7), ""),
		cell("NULL AND TRUE", checksum.Cell{}, ""),
		cell("1 > 2", num(0), ""), // to the servers it is a number
		of("flag", checksum.Bool(true), ""),
		of("bits", num(257), ""),
		of("yr", num(2024), ""),
		of("price", num(12.5), ""),
		cell("CAST(123456789012345678901 AS DECIMAL(30))", str("123456789012345678901"), ""),
		of("single", num(0.1), ""),
		of("dbl", num(0.30000000000000004), ""),
		cell("1e0", num(1), ""),
		of("d", num(day), date),
		of("nod", str("0000-00-00"), date),
		of("part", str("2024-05-00"), date),
		of("dt", num(day+.25), dateTime),
		of("fine", num(day+.25+0.5/86400), dateTime),
		of("nodt", str("0000-00-00 00:00:00"), dateTime),
		of("ts", num(day+8./24), dateTime), // an instant: 08:00 in Berlin
		of("clock", num(.75), duration),
		of("span", num(1.5+0.5/86400), duration),
		of("less", num(-1.5/24), duration),
		of("e", str("rough"), ""),
		of("s", str("a,b"), ""),
		of("doc", str(`{"a": [1, 2]}`), ""), // MariaDB's JSON is text
		of("txt", str("plain"), ""),
		of("wide", str("ü€😀"), ""),
		cell("'=1+1'", str("=1+1"), ""),
		cell("''", checksum.Cell{}, ""),
		cell("NULL", checksum.Cell{}, ""),
		cell("CAST(NULL AS DATE)", checksum.Cell{}, date),
		cell("'it''s \\\\ \"quoted\"'", str(`it's \ "quoted"`), ""),
		cell("\"double\"", str("double"), ""),
		of("raw", str("00ff"), ""),
		cell("x''", checksum.Cell{}, ""),
		of("bin", str("00ff"), ""),
		of("shape", str("000000000101000000000000000000f03f0000000000000040"), ""),
		cell("ST_AsText(shape) FROM kinds", str("POINT(1 2)"), ""),
		of("id", str("00112233-4455-6677-8899-aabbccddeeff"), ""),
		of("ip", str("2001:db8::1"), ""),
		cell("SUM(price) FROM kinds", num(12.5), ""),
		cell("COUNT(*) FROM kinds", num(1), ""),
		cell("1 -- a comment; with two", num(1), ""),
		cell("1 # INTO OUTFILE", num(1), ""),
		cell("1 /* INTO OUTFILE */;", num(1), ""),
		cell("'INTO; OUTFILE'", str("INTO; OUTFILE"), ""),
		cell("a.`into` FROM (SELECT 1 AS `into`) AS a", num(1), ""),
	}
}
