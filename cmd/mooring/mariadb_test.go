//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/refresh/source/sourcetest"
)

const mariadbConfig = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {timezone: Europe/Berlin, source: {kind: mysql, url: "${DB}", ca: "${CA}"}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets}
`

// Of the shop the login may read one table; it may write to another one, and files on the server.
const mariadbShop = `
CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'hunter2';
CREATE TABLE orders (item text, amount decimal(10,2), paid boolean, at timestamp);
SET time_zone = '+00:00';
INSERT INTO orders VALUES ('anchor', 12.50, true, '2024-05-06 06:00:00'), ('buoy', 3, false, '2024-12-06 06:00:00');
CREATE TABLE ledger (id integer);
GRANT SELECT ON orders TO reader@'127.0.0.1';
GRANT ALL ON ledger TO reader@'127.0.0.1';
GRANT FILE ON *.* TO reader@'127.0.0.1';
`

func newMariaDBSite(t *testing.T) (*site, *sourcetest.MariaDB) {
	t.Helper()
	db := sourcetest.StartMariaDB(t)
	db.Exec(t, mariadbShop)
	return newEmptySite(t, mariadbConfig, "${DB}", db.URL("reader", "hunter2", "shop"), "${CA}", db.CA), db
}

// rows are those of the workbook's first sheet, as people see them.
func (s *site) rows() [][]string {
	s.t.Helper()
	f, err := excelize.OpenFile(s.workbook())
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Sheet1")
	if err != nil {
		s.t.Fatal(err)
	}
	return rows
}

// A report of MariaDB reaches the sheet, what the server has is listed, and a fault of a query is marked at its line.
func TestReportsOfMariaDB(t *testing.T) {
	s, db := newMariaDBSite(t)
	path, _ := s.report("1", "SELECT item, amount, paid, at FROM orders ORDER BY item")
	s.connect(path, "book.xlsx", "Sheet1!A1")
	if run, shown := s.refreshes(path, "{}"); run.Error != "" {
		t.Fatal(shown)
	}
	rows := [][]string{
		{"item", "amount", "paid", "at"}, {"anchor", "12.5", "TRUE", "2024-05-06 08:00:00"}, {"buoy", "3", "FALSE", "2024-12-06 07:00:00"},
	}
	if diff := cmp.Diff(rows, s.rows()); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}

	const deployment = "/api/v1/deployments/1"
	if status, text := s.send(http.MethodGet, deployment+"/catalog?search=orders", ""); status != http.StatusOK || !strings.Contains(text, `"name":"paid"`) {
		t.Errorf("catalog: %d %s", status, text)
	}
	status, text := s.send(http.MethodPost, deployment+"/previews", `{"sqlQuery": "SELECT item,\n  price FROM orders"}`)
	var preview struct{ Faults []struct{ Line, Column int } }
	if err := json.Unmarshal([]byte(text), &preview); err != nil || status != http.StatusOK || len(preview.Faults) != 1 ||
		preview.Faults[0].Line != 2 || preview.Faults[0].Column != 3 {
		t.Errorf("preview: %d %s, %v", status, text, err)
	}
	for _, leak := range []string{"hunter2", strconv.Itoa(db.Port), db.Dir} {
		if strings.Contains(text+s.server.out.String(), leak) {
			t.Errorf("%s is told", leak)
		}
	}
}

// What would write, or reach files, is refused over HTTP as well, by results and by previews.
func TestEscapesToMariaDB(t *testing.T) {
	s, db := newMariaDBSite(t)
	file := filepath.Join(db.Dir, "data", "escaped")
	for _, query := range []string{
		"INSERT INTO ledger VALUES (1)", "DELETE FROM ledger", "SELECT 1; INSERT INTO ledger VALUES (1)",
		"SELECT 1 INTO OUTFILE '" + file + "'", "SELECT 1 /*! INTO OUTFILE '" + file + "' */", "SELECT 1.5INTO OUTFILE '" + file + "'",
		"BEGIN NOT ATOMIC COMMIT; INSERT INTO ledger VALUES (1); END", "SET SESSION TRANSACTION READ WRITE", "SET @a = 1", "COMMIT",
		"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE ledger", "SELECT id FROM ledger LOCK IN SHARE MODE", "CREATE TABLE more (i integer)",
	} {
		body, err := json.Marshal(map[string]string{"sqlQuery": query})
		if err != nil {
			t.Fatal(err)
		}
		if status, text := s.send(http.MethodPost, "/api/v1/deployments/1/previews", string(body)); status != http.StatusOK || !strings.Contains(text, `"faults":[{`) {
			t.Errorf("preview of %s: %d %s", query, status, text)
		}
		path, _ := s.report("1", query)
		if status, text := s.send(http.MethodPost, path+"/result", "{}"); status < http.StatusBadRequest {
			t.Errorf("result of %s: %d %s", query, status, text)
		}
	}
	if n := db.Number(t, "SELECT COUNT(*) FROM shop.ledger"); n != 0 {
		t.Errorf("%d rows were written", n)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
}
