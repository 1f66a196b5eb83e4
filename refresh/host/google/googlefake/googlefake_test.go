package googlefake

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mooring/refresh/host/hosttest/book"
)

const good = "fake-token-1" // the token that start issues

// start runs a fake with one document of two sheets, which has issued a token.
func start(t *testing.T) *Server {
	t.Helper()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Add("doc", book.New(10, 5, "Data", "Other"))
	s.tokens.Issue()
	return s
}

// send makes a request of its path, query and JSON body; the token is good unless told otherwise.
func send(t *testing.T, s *Server, method, path, body, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestReadsAreChecked(t *testing.T) {
	for _, row := range []struct {
		fact, path, token string
		status            int
	}{
		{"a valid read", "/v4/spreadsheets/doc?fields=sheets.properties.title", good, 200},
		{
			"nested and listed fields",
			"/v4/spreadsheets/doc?fields=spreadsheetId,sheets(properties(title,gridProperties/rowCount),data.rowData)", good, 200,
		},
		{"no token", "/v4/spreadsheets/doc?fields=sheets", "", 401},
		{"an unknown document", "/v4/spreadsheets/other?fields=sheets", good, 404},
		{"an unknown path", "/v4/sheets/doc", good, 404},
		{"an unknown field", "/v4/spreadsheets/doc?fields=sheets.colour", good, 400},
		{"a mask that does not end", "/v4/spreadsheets/doc?fields=sheets(properties", good, 400},
		{"an unknown parameter", "/v4/spreadsheets/doc?fields=sheets&range=A1", good, 400},
		{"an unknown sheet", "/v4/spreadsheets/doc?fields=sheets&ranges=No!A1", good, 400},
		{"a range beyond the sheet", "/v4/spreadsheets/doc?fields=sheets&ranges=Data!A1:A11", good, 400},
	} {
		t.Run(row.fact, func(t *testing.T) {
			if status, answer := send(t, start(t), http.MethodGet, row.path, "", row.token); status != row.status {
				t.Errorf("status %d, want %d: %s", status, row.status, answer)
			}
		})
	}
}

func TestBatchesAreChecked(t *testing.T) {
	cell := func(value string) string {
		return `{"updateCells":{"start":{"sheetId":0,"rowIndex":0,"columnIndex":0},"rows":[{"values":[` + value + `]}],"fields":"userEnteredValue"}}`
	}
	mark := func(name, rows string) string {
		return `{"addNamedRange":{"namedRange":{"name":"` + name + `","range":{"sheetId":0,"startRowIndex":0,"endRowIndex":` + rows + `}}}}`
	}
	paste := func(end, at, kind string) string {
		return `{"cutPaste":{"source":{"sheetId":0,` + end + `},"destination":{"sheetId":0,` + at + `,"columnIndex":0},` +
			`"pasteType":"` + kind + `"}}`
	}
	copied := func(from, to, kind string) string {
		return `{"copyPaste":{"source":{"sheetId":0,` + from + `},"destination":{"sheetId":0,` + to + `},"pasteType":"` + kind + `"}}`
	}
	for _, row := range []struct {
		fact, requests string
		status         int
	}{
		{"formats copied", copied(`"endRowIndex":1`, `"startRowIndex":1,"endRowIndex":4`, "PASTE_FORMAT"), 200},
		{"formulas copied", copied(`"endRowIndex":2`, `"startRowIndex":2,"endRowIndex":6`, "PASTE_FORMULA"), 200},
		{"values copied", copied(`"endRowIndex":2`, `"startRowIndex":2,"endRowIndex":6`, "PASTE_VALUES"), 400},
		{"formulas copied to no multiple of rows", copied(`"endRowIndex":2`, `"startRowIndex":2,"endRowIndex":5`, "PASTE_FORMULA"), 400},
		{"formulas copied beyond the sheet", copied(`"endRowIndex":1`, `"startRowIndex":9,"endRowIndex":11`, "PASTE_FORMULA"), 400},
		{"a value", cell(`{"userEnteredValue":{"stringValue":"=1"}}`), 200},
		{"an empty cell", cell(`{}`), 200},
		{"no request", ``, 400},
		{
			"two kinds in one request",
			`{"deleteNamedRange":{"namedRangeId":"x"},"appendDimension":{"sheetId":0,"dimension":"ROWS","length":1}}`, 400,
		},
		{"an unknown kind", `{"deleteEverything":{}}`, 400},
		{"an unknown member", cell(`{"userEnteredValue":{"textValue":"x"}}`), 400},
		{"two values", cell(`{"userEnteredValue":{"stringValue":"x","numberValue":1}}`), 400},
		{"an error as a value", cell(`{"userEnteredValue":{"errorValue":{"type":"N_A"}}}`), 400},
		{"an effective value", cell(`{"effectiveValue":{"numberValue":1}}`), 400},
		{"a row beyond the sheet", strings.Replace(cell(`{}`), `"rowIndex":0`, `"rowIndex":10`, 1), 400},
		{"a sheet that is not there", strings.Replace(cell(`{}`), `"sheetId":0`, `"sheetId":7`, 1), 400},
		{"no fields", strings.Replace(cell(`{}`), `,"fields":"userEnteredValue"`, "", 1), 400},
		{"a named range", mark("_mooring_x", "3"), 200},
		{"a name with a hyphen", mark("_mooring-x", "3"), 400},
		{"a name like a cell", mark("AB12", "3"), 400},
		{"a range beyond the sheet", mark("x", "11"), 400},
		{"an empty range", mark("x", "0"), 400},
		{"the same name twice", mark("x", "3") + "," + mark("X", "4"), 400},
		{
			"a range updated by an unknown id",
			`{"updateNamedRange":{"namedRange":{"namedRangeId":"no","range":{"sheetId":0,"endRowIndex":1}},"fields":"range"}}`, 400,
		},
		{
			"a format without its type",
			`{"repeatCell":{"range":{"sheetId":0,"endRowIndex":1},"cell":{"userEnteredFormat":{"numberFormat":{"pattern":"0"}}},"fields":"userEnteredFormat.numberFormat"}}`,
			400,
		},
		{"cells cut and pasted", paste(`"endRowIndex":2`, `"rowIndex":8`, "PASTE_NORMAL"), 200},
		{"cells pasted beyond the sheet", paste(`"endRowIndex":2`, `"rowIndex":9`, "PASTE_NORMAL"), 400},
		{"cells cut beyond the sheet", paste(`"endRowIndex":11`, `"rowIndex":0`, "PASTE_NORMAL"), 400},
		{"cells pasted in part", paste(`"endRowIndex":2`, `"rowIndex":8`, "PASTE_VALUES"), 400},
		{"more cells than a document takes", `{"appendDimension":{"sheetId":0,"dimension":"ROWS","length":2000000}}`, 400},
	} {
		t.Run(row.fact, func(t *testing.T) {
			s := start(t)
			status, answer := send(t, s, http.MethodPost, "/v4/spreadsheets/doc:batchUpdate", `{"requests":[`+row.requests+`]}`, good)
			if status != row.status {
				t.Errorf("status %d, want %d: %s", status, row.status, answer)
			}
		})
	}
}

func TestFormulasAndFormatsAreCopied(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) {
		b.Sheet("Data").SetFormula(0, 0, "=B1+$B$1", 2.)
		b.Sheet("Data").SetFormat(0, 0, "0.0")
		b.Sheet("Data").Set(0, 1, 7.)
		b.Sheet("Data").SetFormat(1, 0, "0%")
	})
	copied := func(from, rows, kind string) string {
		return `{"copyPaste":{"source":{"sheetId":0,"startRowIndex":` + from + `,"endRowIndex":1,"endColumnIndex":2},` +
			`"destination":{"sheetId":0,` + rows + `,"endColumnIndex":2},"pasteType":"` + kind + `"}}`
	}
	status, answer := send(t, s, http.MethodPost, "/v4/spreadsheets/doc:batchUpdate", `{"requests":[`+
		copied("0", `"startRowIndex":1,"endRowIndex":3`, "PASTE_FORMULA")+`,`+copied("0", `"startRowIndex":2,"endRowIndex":3`, "PASTE_FORMAT")+
		`]}`, good)
	if status != http.StatusOK {
		t.Fatal(answer)
	}
	s.Edit("doc", func(b *book.Book) {
		for row, want := range map[int]book.Content{
			1: {Value: 2., Formula: "=B2+$B$1", Format: "0%"}, 2: {Value: 2., Formula: "=B3+$B$1", Format: "0.0"},
		} {
			if got := b.Sheet("Data").Cell(row, 0); got != want {
				t.Errorf("row %d holds %+v, want %+v", row, got, want)
			}
		}
		if got := b.Sheet("Data").Cell(2, 1).Value; got != 7. {
			t.Errorf("a value was copied as %v", got)
		}
	})
}

func TestANameWhoseCellsWereDeletedIsTakenButNotListed(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) { b.AddName(book.Name{ID: "dead", Name: "_mooring_x"}) })
	if _, answer := send(t, s, http.MethodGet, "/v4/spreadsheets/doc?fields=namedRanges", "", good); strings.Contains(answer, "_mooring_x") {
		t.Errorf("it is listed: %s", answer)
	}
	const add = `{"requests":[{"addNamedRange":{"namedRange":{"name":"_mooring_x","range":{"sheetId":0,"endRowIndex":1}}}}]}`
	status, answer := send(t, s, http.MethodPost, "/v4/spreadsheets/doc:batchUpdate", add, good)
	const want = "Invalid requests[0].addNamedRange: Cannot add named range with name: _mooring_x, a named range with that name already exists"
	if status != http.StatusBadRequest || !strings.Contains(answer, want) {
		t.Errorf("status %d: %s", status, answer)
	}
}

func TestABatchIsAppliedWholeOrNotAtAll(t *testing.T) {
	s := start(t)
	value := `{"updateCells":{"start":{"sheetId":0,"rowIndex":1,"columnIndex":1},"rows":[{"values":[{"userEnteredValue":{"numberValue":5}}]}],"fields":"userEnteredValue"}}`
	send(t, s, http.MethodPost, "/v4/spreadsheets/doc:batchUpdate", `{"requests":[`+value+`,{"deleteNamedRange":{"namedRangeId":"no"}}]}`,
		good)
	s.Edit("doc", func(b *book.Book) {
		if c := b.Sheet("Data").Cell(1, 1); c != (book.Content{}) || b.Revision != 0 {
			t.Errorf("the cell became %+v, the revision %d", c, b.Revision)
		}
	})
	send(t, s, http.MethodPost, "/v4/spreadsheets/doc:batchUpdate", `{"requests":[`+value+`]}`, good)
	s.Edit("doc", func(b *book.Book) {
		if c := b.Sheet("Data").Cell(1, 1); c.Value != 5. {
			t.Errorf("the cell became %+v", c)
		}
	})
}

func TestAnswersLeaveOutWhatIsEmptyAtTheEnd(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) {
		b.Sheet("Data").Set(1, 2, "x")
		b.Sheet("Data").SetFormula(2, 1, "=1/0", book.ErrorValue("#DIV/0!"))
	})
	query := url.Values{
		"ranges": {"Data!B1:D5"},
		"fields": {"sheets(properties(title),data(rowData(values(userEnteredValue(formulaValue),effectiveValue))))"},
	}
	_, answer := send(t, s, http.MethodGet, "/v4/spreadsheets/doc?"+query.Encode(), "", good)
	var got any
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"effectiveValue":{"stringValue":"x"}}`,
		`"userEnteredValue":{"formulaValue":"=1/0"}`,
		`"errorValue":{"type":"DIVIDE_BY_ZERO"`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s is not in %s", want, answer)
		}
	}
	if n := strings.Count(answer, `"values"`); n != 2 || strings.Contains(answer, "Other") {
		t.Errorf("%d rows hold values, want 2, of one sheet: %s", n, answer)
	}
}

func TestTokensAreGivenToTheAccountOnly(t *testing.T) {
	s := start(t)
	for _, form := range []string{
		"", "grant_type=password", "grant_type=refresh_token&client_id=x",
		"grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=a.b.c",
	} {
		resp, err := http.Post(s.URL+"/token", "application/x-www-form-urlencoded", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%q gives status %d", form, resp.StatusCode)
		}
	}
	if !strings.Contains(string(s.AuthorizedUser()), s.URL) {
		t.Error("the user's credentials do not name the fake")
	}
}
