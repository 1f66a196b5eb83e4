package graphfake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh/host/hosttest/book"
)

const (
	item     = "/drives/" + Drive + "/items/doc"
	workbook = item + "/workbook"
	cells    = workbook + "/worksheets('Data')/range(address='A1:B1')"

	good = "fake-token-1" // the token that start issues
)

// start runs a fake with one workbook, which has issued a token.
func start(t *testing.T) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	s.Add("doc", book.New(Rows, Columns, "Data", "It's"))
	s.tokens.Issue()
	return s
}

func send(t *testing.T, s *Server, method, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+good)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
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

func TestRequestsAreChecked(t *testing.T) {
	const add = workbook + "/names/add"
	for _, row := range []struct {
		fact, method, path, body string
		status                   int
	}{
		{"the drive", "GET", "/drives/" + Drive, "", 200},
		{"another drive", "GET", "/drives/other", "", 404},
		{"the item", "GET", item + "?$select=cTag", "", 200},
		{"an item that is not there", "GET", item + "x", "", 404},
		{"an unknown property", "GET", item + "?$select=colour", "", 400},
		{"an unknown option", "GET", item + "?$expand=children", "", 400},
		{"cells", "GET", cells + "?$select=values,formulas,valueTypes", "", 200},
		{"a sheet with an apostrophe", "GET", workbook + "/worksheets('It%27%27s')", "", 200},
		{"a sheet that is not there", "GET", workbook + "/worksheets('No')", "", 404},
		{"the sheets", "GET", workbook + "/worksheets?$select=id,name", "", 200},
		{"the names", "GET", workbook + "/names?$select=name,value,scope,comment", "", 200},
		{"an unknown property of the names", "GET", workbook + "/names?$select=colour", "", 400},
		{"whole columns", "GET", workbook + "/worksheets('Data')/range(address='A:B')", "", 400},
		{"more cells than are read in time", "GET", workbook + "/worksheets('Data')/range(address='A1:B60000')", "", 504},
		{"whether a sheet is protected", "GET", workbook + "/worksheets('Data')/protection?$select=protected", "", 200},
		{"whether cells are locked", "GET", cells + "/format/protection?$select=locked", "", 200},
		{"values", "PATCH", cells, `{"values":[[1,"x"]]}`, 200},
		{"values of another size", "PATCH", cells, `{"values":[[1]]}`, 400},
		{"an unknown member", "PATCH", cells, `{"value":[[1,2]]}`, 400},
		{"nothing to set", "PATCH", cells, `{}`, 400},
		{"rows inserted", "POST", cells + "/insert", `{"shift":"Down"}`, 200},
		{"rows inserted nowhere", "POST", cells + "/insert", `{}`, 400},
		{"rows deleted", "POST", cells + "/delete", `{"shift":"Up"}`, 200},
		{"contents cleared", "POST", cells + "/clear", `{"applyTo":"Contents"}`, 200},
		{"formats cleared", "POST", cells + "/clear", `{"applyTo":"Formats"}`, 200},
		{"links cleared", "POST", cells + "/clear", `{"applyTo":"Hyperlinks"}`, 400},
		{"the cells in use", "GET", workbook + "/worksheets('Data')/usedRange(valuesOnly=true)?$select=rowIndex,rowCount", "", 200},
		{"an unknown verb", "POST", cells + "/merge", `{}`, 400},
		{"a name", "POST", add, `{"name":"_m.x","reference":"='Data'!$A$1:$B$2","comment":"c"}`, 201},
		{"a name like a cell", "POST", add, `{"name":"AB12","reference":"='Data'!$A$1"}`, 400},
		{"a name on a relative reference", "POST", add, `{"name":"x","reference":"=Data!A1"}`, 400},
		{"a name on no sheet", "POST", add, `{"name":"x","reference":"=No!$A$1"}`, 400},
		{"a name that is not there", "GET", workbook + "/names('no')", "", 404},
		{"a name cannot be pointed elsewhere", "PATCH", workbook + "/names('old')", `{"value":"=Data!$A$1"}`, 400},
		{"a name for a text", "POST", add, `{"name":"_m.t","reference":"=\"a text\"","comment":"c"}`, 201},
		{"a name hidden", "PATCH", workbook + "/names('old')", `{"visible":false}`, 200},
		{"a name not changed", "PATCH", workbook + "/names('old')", `{}`, 400},
		{"the comment of a name", "PATCH", workbook + "/names('old')", `{"comment":"c"}`, 200},
		{"a name deleted", "DELETE", workbook + "/names('old')", "", 204},
		{"a name not in apostrophes", "DELETE", workbook + "/names/old", "", 400},
		{"a session", "POST", workbook + "/createSession", `{"persistChanges":true}`, 201},
		{"a session that keeps nothing", "POST", workbook + "/createSession", `{"persistChanges":false}`, 201},
		{"a session that does not say which", "POST", workbook + "/createSession", `{}`, 400},
		{"the end of no session", "POST", workbook + "/closeSession", `{}`, 400},
	} {
		t.Run(row.fact, func(t *testing.T) {
			s := start(t)
			s.Edit("doc", func(b *book.Book) {
				b.AddName(book.Name{Name: "old", Sheet: b.Sheet("Data"), Rect: book.Region{Rows: 1, Columns: 1}})
			})
			if status, answer := send(t, s, row.method, row.path, row.body); status != row.status {
				t.Errorf("status %d, want %d: %.200s", status, row.status, answer)
			}
		})
	}
}

func TestAnAnswerEndsAtFiveMegabytes(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) {
		for row := range 60 {
			b.Sheet("Data").Set(row, 0, strings.Repeat("x", 30_000))
		}
	})
	const column = workbook + "/worksheets('Data')/range(address='A1:A60')"
	for path, want := range map[string]int{column: 400, column + "?$select=values": 200} {
		status, answer := send(t, s, "GET", path, "")
		if status != want || status == 400 && !strings.Contains(answer, "ResponsePayloadSizeLimitExceeded") {
			t.Errorf("%s: status %d, want %d: %.200s", path, status, want, answer)
		}
	}
}

func TestStringsAreReadAsTyped(t *testing.T) {
	for text, want := range map[string]book.Content{
		"plain":      {Value: "plain"},
		"'=1+1":      {Value: "=1+1"},
		"''quoted":   {Value: "'quoted"},
		"=1+1":       {Value: 0., Formula: "=1+1"},
		"@SUM(A1)":   {Value: 0., Formula: "=@SUM(A1)"},
		"0042":       {Value: 42.},
		"'0042":      {Value: "0042"},
		"TRUE":       {Value: true},
		"#N/A":       {Value: book.ErrorValue("#N/A")},
		"'#N/A":      {Value: "#N/A"},
		"2024-02-29": {Value: 45000.},
		"":           {},
	} {
		s := start(t)
		s.Edit("doc", func(b *book.Book) {
			sheet := b.Sheet("Data")
			if err := enter(sheet, 0, 0, text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, sheet.Cell(0, 0)); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
		})
	}
}

func TestNullLeavesACellAsItIs(t *testing.T) {
	s := start(t)
	send(t, s, "PATCH", cells, `{"values":[["a","b"]],"numberFormat":[["0.0","0.0"]]}`)
	send(t, s, "PATCH", cells, `{"values":[[null,"c"]],"numberFormat":[["General",null]]}`)
	s.Edit("doc", func(b *book.Book) {
		got := []book.Content{b.Sheet("Data").Cell(0, 0), b.Sheet("Data").Cell(0, 1)}
		want := []book.Content{{Value: "a"}, {Value: "c", Format: "0.0"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestInsertedCellsHaveTheFormatsOfThoseAbove(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) {
		b.Sheet("Data").SetFormat(0, 0, "0.0")
		b.Sheet("Data").Set(1, 0, 5.)
	})
	below := strings.ReplaceAll(cells, "A1:B1", "A2:B3")
	send(t, s, "POST", below+"/insert", `{"shift":"Down"}`)
	send(t, s, "POST", strings.ReplaceAll(cells, "A1:B1", "A3:B3")+"/clear", `{"applyTo":"Formats"}`)
	s.Edit("doc", func(b *book.Book) {
		sheet := b.Sheet("Data")
		got := []book.Content{sheet.Cell(1, 0), sheet.Cell(2, 0), sheet.Cell(3, 0)}
		if diff := cmp.Diff([]book.Content{{Format: "0.0"}, {}, {Value: 5.}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCellsInUseHoldAValue(t *testing.T) {
	const used = workbook + "/worksheets('Data')/usedRange(valuesOnly=true)?$select=rowIndex,columnIndex,rowCount,columnCount"
	s := start(t)
	for _, row := range []struct {
		edit func(*book.Sheet)
		want string
	}{
		{func(*book.Sheet) {}, `{"columnCount":1,"columnIndex":0,"rowCount":1,"rowIndex":0}`},
		{func(s *book.Sheet) { s.Set(3, 2, "x") }, `{"columnCount":1,"columnIndex":2,"rowCount":1,"rowIndex":3}`},
		{func(s *book.Sheet) { s.SetFormula(4, 1, `=""`, nil) }, `{"columnCount":2,"columnIndex":1,"rowCount":2,"rowIndex":3}`},
		{func(s *book.Sheet) { s.SetFormat(9, 9, "0.0") }, `{"columnCount":2,"columnIndex":1,"rowCount":2,"rowIndex":3}`},
	} {
		s.Edit("doc", func(b *book.Book) { row.edit(b.Sheet("Data")) })
		if _, got := send(t, s, "GET", used, ""); strings.TrimSpace(got) != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}

func TestABatchStopsWhereItsChainBreaks(t *testing.T) {
	s := start(t)
	patch := func(id, before, sheet string) string {
		return fmt.Sprintf(`{"id":%q,"method":"PATCH","url":%q,"headers":{"Content-Type":"application/json"},"body":{"values":[[%s,2]]},"dependsOn":[%s]}`,
			id, strings.Replace(cells, "Data", sheet, 1), id, before)
	}
	_, answer := send(t, s, "POST", "/$batch", `{"requests":[`+patch("1", "", "Data")+","+patch("2", `"1"`, "No")+","+patch("3", `"2"`, "Data")+`]}`)
	for _, want := range []string{`"id":"1","status":200`, `"id":"2","status":404`, `"id":"3","status":424`} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s is not in %s", want, answer)
		}
	}
	s.Edit("doc", func(b *book.Book) {
		if got := b.Sheet("Data").Cell(0, 0).Value; got != 1. {
			t.Errorf("the cell holds %v, want what the first request wrote", got)
		}
	})
}

func TestBatchesAreChecked(t *testing.T) {
	get := func(id string) string { return `{"id":"` + id + `","method":"GET","url":"` + item + `"}` }
	var many []string
	for i := range 21 {
		many = append(many, get(fmt.Sprint(i)))
	}
	for fact, requests := range map[string]string{
		"more than twenty":                  strings.Join(many, ","),
		"an id twice":                       get("1") + "," + get("1"),
		"no id":                             get(""),
		"a dependency on nothing":           `{"id":"1","method":"GET","url":"` + item + `","dependsOn":["9"]}`,
		"a body without a content type":     `{"id":"1","method":"PATCH","url":"` + cells + `","body":{}}`,
		"an address of its own":             `{"id":"1","method":"GET","url":"https://example.com/"}`,
		"a member that batches do not know": `{"id":"1","method":"GET","url":"` + item + `","after":"2"}`,
	} {
		t.Run(fact, func(t *testing.T) {
			if status, answer := send(t, start(t), "POST", "/$batch", `{"requests":[`+requests+`]}`); status != http.StatusBadRequest {
				t.Errorf("status %d: %s", status, answer)
			}
		})
	}
}

func TestTheTagChangesWithTheContent(t *testing.T) {
	s := start(t)
	_, before := send(t, s, "GET", item+"?$select=cTag", "")
	_, same := send(t, s, "GET", item+"?$select=cTag", "")
	send(t, s, "PATCH", cells, `{"values":[[1,2]]}`)
	_, after := send(t, s, "GET", item+"?$select=cTag", "")
	if before != same || before == after {
		t.Errorf("the tags were %s, %s and %s", before, same, after)
	}
}

func TestAnUnknownSessionIsRefused(t *testing.T) {
	status, answer := send(t, start(t), "GET", cells, "", "workbook-session-id", "gone")
	if status != http.StatusNotFound || !strings.Contains(answer, "invalidSessionReCreatable") {
		t.Errorf("status %d: %s", status, answer)
	}
}

func TestTokensAreGivenToTheApplicationOnly(t *testing.T) {
	s := start(t)
	good := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {ClientID}, "client_secret": {ClientSecret},
		"scope": {"https://graph.microsoft.com/.default"},
	}
	for name := range good {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		form.Set(name, "wrong")
		resp, err := http.PostForm(s.TokenURL, form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("a wrong %s gives status %d", name, resp.StatusCode)
		}
	}
}

func TestAPatchAnswersWithTheRangeInSevenArrays(t *testing.T) {
	_, answer := send(t, start(t), "PATCH", cells, `{"values":[[1,"x"]]}`)
	var got map[string]any
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	arrays := 0
	for _, v := range got {
		if _, ok := v.([]any); ok {
			arrays++
		}
	}
	if arrays != 7 {
		t.Errorf("%d arrays: %s", arrays, answer)
	}
}

func TestANumberInATextCellBecomesText(t *testing.T) {
	s := start(t)
	s.Edit("doc", func(b *book.Book) { b.Sheet("Data").SetFormat(0, 0, "@") })
	send(t, s, "PATCH", cells, `{"values":[[1.5,1.5]]}`)
	s.Edit("doc", func(b *book.Book) {
		got := []any{b.Sheet("Data").Cell(0, 0).Value, b.Sheet("Data").Cell(0, 1).Value}
		if diff := cmp.Diff([]any{"1.5", 1.5}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALockedCellRefusesTheWholeRange(t *testing.T) {
	s := start(t)
	s.Lock("doc", "Data", book.Region{Column: 1, Rows: 1, Columns: 1})
	for body, path := range map[string]string{`{"values":[[1,null]]}`: cells, `{"values":[[1]]}`: strings.Replace(cells, "A1:B1", "B1", 1)} {
		if status, answer := send(t, s, "PATCH", path, body); status != http.StatusForbidden || !strings.Contains(answer, "AccessDenied") {
			t.Errorf("%s: status %d: %s", path, status, answer)
		}
	}
	if status, answer := send(t, s, "PATCH", strings.Replace(cells, "A1:B1", "A1", 1), `{"values":[[1]]}`); status != http.StatusOK {
		t.Errorf("beside it: status %d: %s", status, answer)
	}
	for address, want := range map[string]string{"A1": "false", "B1": "true", "A1:B1": "null"} {
		_, answer := send(t, s, "GET", strings.Replace(cells, "A1:B1", address, 1)+"/format/protection?$select=locked", "")
		if want := `"locked":` + want; !strings.Contains(answer, want) {
			t.Errorf("%s: %s is not in %s", address, want, answer)
		}
	}
}

func TestALaggingTagShowsAChangeToTheSecondWhoAsks(t *testing.T) {
	s := start(t)
	s.LagTags("doc")
	ask := func() string { _, tag := send(t, s, "GET", item+"?$select=cTag", ""); return tag }
	before := ask()
	send(t, s, "PATCH", cells, `{"values":[[1,2]]}`)
	if at, after := ask(), ask(); at != before || after == before {
		t.Errorf("the tags were %s, %s and %s", before, at, after)
	}
}
