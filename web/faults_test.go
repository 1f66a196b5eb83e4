package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// All faults of a body are told at once (decisions.md §2), whether its shape has them or the rules of placements find them.
func TestAllFaultsOfABodyAreToldAtOnce(t *testing.T) {
	const connect, refresh, result = "PUT /reports/{{id}}/connect-workbook", "PUT /reports/{{id}}/refresh", "POST /reports/{{id}}/result"
	const create, update, upsert = "POST /reports", "PUT /reports/{{id}}", "PUT /reports/by-public-id/Fault0000001"
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for _, tc := range []struct {
		fact, request, body string
		code                Code
		faults              []string // in this order: JSON pointer, colon, part of the message
	}{
		{"a wrong type and faults of the address", connect, `{"addressOnly":1,"resultLocation":"B2","anchorCell":"C3"}`, codeInvalid, []string{
			"/addressOnly:true or false", "/anchorCell:send the same cell", "/externalWorkbookId:is missing", "/sheetName:No sheet is named",
		}},
		{"a wrong type alone is no fault of the address", connect, `{"externalWorkbookId":1,"resultLocation":"Data!B2"}`, codeInvalid, []string{"/externalWorkbookId:a string"}},
		{"a wrong type is not said to be missing, nor to be of the address", connect, `{"externalWorkbookId":1,"resultLocation":2,"sheetName":3,"anchorCell":4,"resultChecksum":{"v":0,"chunks":[]}}`, codeInvalid, []string{
			"/anchorCell:a string", "/externalWorkbookId:a string", "/resultChecksum/v:at least 1", "/resultLocation:a string", "/sheetName:a string",
		}},
		{"a sheet of the wrong type is not said to be missing", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","sheetName":3}`, codeInvalid, []string{"/sheetName:a string"}},
		{"of a chunk that is none nothing else is said", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"chunks":[7,{"from":5,"to":4},{"from":"5","to":9,"hash":""}]}}`, codeInvalid, []string{
			"/resultChecksum/chunks/0:an object", "/resultChecksum/chunks/1/hash:is required", "/resultChecksum/chunks/1/to:at least from",
			"/resultChecksum/chunks/2/from:an integer", "/resultChecksum/chunks/2/hash:64 characters", "/resultChecksum/v:is required", "/sheetName:No sheet is named",
		}},
		{"of a body that is no object nothing else is said", connect, `[]`, codeInvalid, []string{":an object"}},
		{"faults of the address alone, in order", connect, `{"resultLocation":"Data!B2","endResultCell":"A0","anchorCell":"C"}`, codeAddress, []string{
			"/anchorCell:no row", "/endResultCell:begins with 0", "/externalWorkbookId:is missing",
		}},
		{"an unknown host and an address", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","host":"EXCEL"}`, codeInvalid, []string{"/host:must be one of", "/sheetName:No sheet is named"}},

		{"a rewrite", refresh, `{"placementId":1,"endResultCell":"B0","resultChecksum":{"v":0,"chunks":{}}}`, codeAddress, []string{
			"/endResultCell:begins with 0", "/placementId:a string", "/resultChecksum/chunks:an array", "/resultChecksum/v:at least 1",
		}},
		{"a rewrite with an end of the wrong type", refresh, `{"endResultCell":1,"resultChecksum":{"v":0,"chunks":[]}}`, codeInvalid, []string{"/endResultCell:a string", "/resultChecksum/v:at least 1"}},

		{"a result", result, `{"first":-1,"have":{"v":0,"chunks":[{"from":"0","to":-1,"hash":"a"}]}}`, codeInvalid, []string{
			"/first:at least 0", "/have/chunks/0/from:an integer", "/have/chunks/0/to:at least from", "/have/v:at least 1",
		}},
		{"a result with a bad checksum alone", result, `{"have":{"v":0,"chunks":[{"from":1,"to":0,"hash":"a"}]}}`, codeChecksum, []string{
			"/have/chunks/0/to:at least from", "/have/v:at least 1",
		}},

		{"a creation", create, `{"name":1,"resultLocation":"B2","endResultCell":"1","host":"x"}`, codeAddress, []string{
			"/endResultCell:no column", "/externalWorkbookId:is missing", "/host:must be one of", "/name:a string", "/sheetName:No sheet is named",
		}},
		{"a creation without spreadsheet keys has no address", create, `{"name":1,"host":"x","workbookName":"Book"}`, codeInvalid, []string{"/host:must be one of", "/name:a string"}},
		{"a creation with a checksum of the wrong type", create, `{"resultChecksum":[],"resultLocation":"Data!B2","externalWorkbookId":"doc"}`, codeInvalid, []string{"/resultChecksum:an object"}},
		{"an update", update, `{"name":1,"resultLocation":"B2","sheetId":"a\nb"}`, codeInvalid, []string{"/name:a string", "/sheetId:plain text", "/sheetName:No sheet is named"}},
		{"an update may leave out what the report may have", update, `{"name":1,"externalWorkbookId":"doc","endResultCell":"D9","resultChecksum":{"v":0,"chunks":[]}}`, codeInvalid, []string{
			"/name:a string", "/resultChecksum/v:at least 1",
		}},
		{"an upsert may be an update", upsert, `{"name":1,"endResultCell":"D"}`, codeAddress, []string{"/endResultCell:no row", "/name:a string"}},
		{"an upsert of the right shape", upsert, `{"endResultCell":"D","host":null,"resultChecksum":{"v":0,"chunks":[]}}`, codeAddress, []string{
			"/endResultCell:no row", "/externalWorkbookId:is missing", "/resultChecksum/v:at least 1", "/resultLocation:is missing",
		}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			method, path, _ := strings.Cut(tc.request, " ")
			got := a.refused(t, step{method: method, path: path, body: tc.body}, tc.code)
			var said []string
			for i, d := range got {
				if i < len(tc.faults) && strings.HasPrefix(tc.faults[i], d.Pointer+":") && strings.Contains(d.Message, tc.faults[i][len(d.Pointer)+1:]) {
					said = append(said, tc.faults[i])
				} else {
					said = append(said, d.Pointer+":"+d.Message)
				}
			}
			if diff := cmp.Diff(tc.faults, said); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// refused is what a request is refused for with 400 and that code.
func (a *api) refused(t *testing.T, s step, code Code) []detail {
	t.Helper()
	w := a.send(s)
	var body errorBody
	exactly(t, w.Body.Bytes(), &body)
	if w.Code != http.StatusBadRequest || body.Code != code {
		t.Errorf("%d %s, want 400 with code %s", w.Code, clipped(w.Body.String()), code)
	}
	for i, d := range body.Details {
		if d.Code.status() != http.StatusBadRequest || i == 0 && d.Code != body.Code {
			t.Errorf("fault %d has the code %q, that of the answer is %q", i, d.Code, body.Code)
		}
	}
	if n := len(body.Details); n > 1 && body.Message != fmt.Sprintf("The request body has %d faults; see details.", n) {
		t.Errorf("message %q of %d faults", clipped(body.Message), n)
	}
	return body.Details
}

func TestFaultsThatTheRulesFindAreBoundedToo(t *testing.T) {
	sum := checksum.ResultChecksum{V: 1, Chunks: slices.Repeat([]checksum.Chunk{{From: 1}}, 2000)}
	c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: &sum}
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for name, body := range map[string]string{"": sent(t, c), "with one of the shape": strings.Replace(sent(t, c), "{", `{"addressOnly":1,`, 1)} {
		t.Run(name, func(t *testing.T) {
			if n := len(a.refused(t, step{method: "PUT", path: connectPath, body: body}, codeInvalid)); n != maxDetails {
				t.Errorf("%d faults, want %d", n, maxDetails)
			}
		})
	}
}
