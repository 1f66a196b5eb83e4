//go:build unix

package cells

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	filesource "mooring/refresh/source/files"
	"mooring/refresh/source/mysql"
	"mooring/refresh/source/postgres"
	"mooring/refresh/source/sourcetest"
)

// TestEscapesInCells types what ends a text of SQL elsewhere into cells of a document: for every kind of source it is a value, and its block
// shows it. Where values are written into the text, those with a backslash are conflicts that name the parameter.
func TestEscapesInCells(t *testing.T) {
	t.Parallel()
	sql := source.Query{SQL: "SELECT @p AS p"}
	t.Run("sqlite", func(t *testing.T) { escapes(newRig(t, files(t), texts(t)), sql, "") })
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "labels.csv"), []byte("id,label\n1,one\n"), 0o600))
		escapes(newRig(t, files(t), sourcetest.Open(t, &filesource.Config{Dir: dir})), sql, "")
		entries, err := os.ReadDir(dir)
		if must(t, err); len(entries) != 1 {
			t.Errorf("the folder holds %v", entries)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		server := sourcetest.StartPostgres(t)
		server.Exec(t, `CREATE ROLE reader LOGIN PASSWORD 'read-only'; CREATE TABLE labels (id integer, label text); INSERT INTO labels VALUES (1, 'one');
			CREATE TABLE writable (id integer); GRANT ALL ON labels, writable TO reader`)
		for _, wireOnly := range []bool{false, true} {
			config := &postgres.Config{URL: secret.Text(server.URL("reader", "read-only", "postgres")), WireOnly: wireOnly}
			refuses := map[bool]string{true: `\`}[wireOnly]
			escapes(newRig(t, files(t), sourcetest.Open(t, config)), source.Query{SQL: "SELECT @p::text AS p"}, refuses)
		}
		if rows := server.Exec(t, "SELECT (SELECT count(*) FROM labels WHERE id = 1), (SELECT count(*) FROM writable)"); rows[0][0] != "1" || rows[0][1] != "0" {
			t.Errorf("the tables hold %v rows", rows[0])
		}
	})
	t.Run("mysql", func(t *testing.T) {
		server := sourcetest.StartMariaDB(t)
		server.Exec(t, `CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'read-only'; CREATE TABLE labels (id integer); INSERT INTO labels VALUES (1);
			CREATE TABLE writable (id integer); GRANT ALL ON shop.* TO reader@'127.0.0.1'`)
		config := &mysql.Config{URL: secret.Text(server.URL("reader", "read-only", "shop")), CA: server.CA}
		escapes(newRig(t, files(t), sourcetest.Open(t, config)), sql, "")
		if n := server.Number(t, "SELECT (SELECT SUM(id) FROM shop.labels) + (SELECT COUNT(*) FROM shop.writable)"); n != 1 {
			t.Errorf("the tables hold %d, want one row of 1", n)
		}
	})
	t.Run("cube", func(t *testing.T) {
		config := func(t *testing.T) *cube.Config {
			layer := httptest.NewServer(http.HandlerFunc(layerOfTexts))
			t.Cleanup(layer.Close)
			return &cube.Config{URL: secret.Text(layer.URL), Token: "token"}
		}
		escapes(newRig(t, files(t), sourcetest.Open(t, config(t))), source.Query{
			JSON: `{"dimensions":["texts.t"],"filters":[{"member":"texts.t","operator":"equals","values":[{"parameter":"p"}]}]}`,
		}, "")
		escapes(newRig(t, files(t), sourcetest.Open(t, config(t))), sql, `\`)
	})
}

// escapes shows each of the escapes in a block of its own.
func escapes(r *rig, q source.Query, refuses string) {
	r.Helper()
	r.asks(q, fromCell("p", placements.ParameterText))
	all := sourcetest.Escapes()
	for i, text := range all {
		r.types(fmt.Sprint("A", i+1), text)
		r.place(r.Document, fmt.Sprint("B", 3*i+3), inCell("p", fmt.Sprint("A", i+1)))
	}
	run := r.refresh()
	if refuses == "" && run.State != placements.RunSucceeded {
		r.Fatalf("run is %s (%s)", run.State, run.Error)
	}
	shown := map[string]string{} // why a placement was refused
	for _, o := range run.Placements {
		shown[o.PlacementID] = o.Error
	}
	for i, text := range all {
		want := checksum.Str(strings.ReplaceAll(text, "\r\n", "\n"))
		fault := shown[r.placedAt(fmt.Sprint("B", 3*i+3))]
		if refused := refuses != "" && strings.ContainsAny(text, refuses); refused {
			want = checksum.Cell{}
			if !strings.Contains(fault, "the value of p ") || strings.Contains(fault, text) {
				r.Errorf("%q is refused: %s", text, fault)
			}
		} else if fault != "" {
			r.Errorf("%q: %s", text, fault)
		}
		r.holds(text, fmt.Sprint("B", 3*i+4), want)
	}
}

// placedAt is the id of the placement at a cell of the sheet Data.
func (r *rig) placedAt(cell string) string {
	r.Helper()
	report, err := r.store.Reports().Get(r.Context(), deployment, r.report)
	must(r.T, err)
	for _, p := range report.Placements {
		if p.AnchorCell == cell {
			return p.ID
		}
	}
	r.Fatalf("nothing is placed at %s", cell)
	return ""
}

// layerOfTexts is Cube as far as these tests ask it: a jsonQuery shows the value of its filter, a sqlQuery the one text that it selects, written as
// the standard has it.
func layerOfTexts(w http.ResponseWriter, r *http.Request) {
	var body struct{ Query json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := json.NewEncoder(w)
	if strings.HasSuffix(r.URL.Path, "/v1/load") {
		var q struct{ Filters []struct{ Values []string } }
		if err := json.Unmarshal(body.Query, &q); err != nil || len(q.Filters) != 1 || len(q.Filters[0].Values) != 1 {
			http.Error(w, fmt.Sprint(err, string(body.Query)), http.StatusBadRequest)
			return
		}
		_ = answer.Encode(map[string]any{
			"data":       []any{map[string]string{"texts.t": q.Filters[0].Values[0]}},
			"annotation": map[string]any{"dimensions": map[string]any{"texts.t": map[string]string{"type": "string"}}},
		})
		return
	}
	var statement string
	err := json.Unmarshal(body.Query, &statement)
	text, ok := selectedText(statement)
	if err != nil || !ok {
		http.Error(w, fmt.Sprint(err, statement), http.StatusBadRequest)
		return
	}
	_ = answer.Encode(map[string]any{"schema": []any{map[string]string{"name": "p", "column_type": "String"}}})
	_ = answer.Encode(map[string]any{"data": []any{[]string{text}}})
}

// selectedText is the text that a statement such as SELECT 'it”s' AS p selects; false for one that has anything besides.
func selectedText(statement string) (text string, ok bool) {
	inside, ok := strings.CutPrefix(strings.TrimPrefix(statement, "SELECT "), " '")
	for ok {
		part, rest, closed := strings.Cut(inside, "'")
		text += part
		if inside, ok = strings.CutPrefix(rest, "'"); !ok {
			behind, limited := strings.CutPrefix(rest, "  AS p\nLIMIT ")
			return text, closed && limited && !strings.ContainsAny(behind, " '")
		}
		text += "'"
	}
	return "", false
}
