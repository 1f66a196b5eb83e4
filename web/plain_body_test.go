package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"
)

// FuzzPlainBody: what is decoded straight into a struct is what the shapes accept, with the same values.
func FuzzPlainBody(f *testing.F) {
	for _, seed := range []string{
		`{"externalWorkbookId":"doc","resultLocation":"Data!B2","addressOnly":true,"host":"SHEETS_B","sheetId":null}`,
		` {"externalWorkbookId":"d","resultLocation":"B2","resultChecksum":{"v":2,"chunks":[{"from":0,"to":16,"hash":"aa"}]},"other":{"a":[1]}}`,
		`{"placementId":"p1","sheetName":"Ärger 📈","anchorCell":"B2"}`,
		`{"externalWorkbookId":"doc","resultLocation":"Data!B2","host":""}`,
		`{"externalWorkbookId":"doc","resultLocation":"Data!B2","host":null,"resultChecksum":null}`,
		`{"ExternalWorkbookId":"doc","externalworkbookid":"doc","resultLocation":"Data!B2"}`,
		`{"externalWorkbookId":"a","externalWorkbookId":"b","resultLocation":"Data!B2"}`,
		`{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"v":2,"chunks":[{"to":16,"hash":"aa"},null]}}`,
		`{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"v":2.0,"chunks":[]}}`,
		`{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"v":2,"chunks":[{"from":-1,"to":1e2,"hash":""}]}}`,
		`{"resultLocation":"","anchorCell":"B0","host":"EXCEL"}`,
		`{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"v":-0,"chunks":[{"from":5,"to":-4,"hash":"x"},{"from":0,"to":9223372036854775808,"hash":"x"}]}}`,
		`{"resultChecksum":{"chunks":[]}}`, `{"resultChecksum":{"v":1,"chunks":null}}`,
		`{"externalWorkbookId":"` + "\xff" + `","resultLocation":"\ud800"}`,
		`{"externalWorkbookId":"doc","resultLocation":"Data!B2","onEdit":"stop","breakSignature":true}`,
		`{"resultLocation":"B2","onEdit":null,"breakSignature":null}`, `{"onEdit":"ask"}`, `{"breakSignature":"yes","onEdit":["keep"]}`,
		`null`, `[]`, `{"externalWorkbookId":"doc","resultLocation":"B2"} {}`,
	} {
		f.Add([]byte(seed))
	}
	s := &Server{limits: Limits{}.withDefaults()}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest("PUT", "/", nil)
		if sent, ok := s.plainConnection(c, raw); ok {
			body, err := s.decodeBytes(c, raw, connectShape)
			if err != nil {
				t.Fatalf("accepted, but %v", err)
			}
			if diff := cmp.Diff(connectionOf(body), sent); diff != "" {
				t.Errorf("connection (-by shape +plain):\n%s", diff)
			}
		}
		if sent, ok := s.plainTarget(c, raw); ok {
			body, err := s.decodeBytes(c, raw, targetShape)
			if err != nil {
				t.Fatalf("accepted, but %v", err)
			}
			if diff := cmp.Diff(targetOf(body), sent); diff != "" {
				t.Errorf("target (-by shape +plain):\n%s", diff)
			}
		}
	})
}

// TestUsualBodiesArePlain: the quick way is taken by what clients send, or it would be there for nothing.
func TestUsualBodiesArePlain(t *testing.T) {
	s := &Server{limits: Limits{}.withDefaults()}
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest("PUT", "/", nil)
	c.Request.Header.Set("Content-Type", "application/json; charset=utf-8")
	for _, body := range []string{
		connectBody(1, "doc"), `{"externalWorkbookId":"doc","resultLocation":"Data!B2","host":"SHEETS_B","unknown":[1,{}]}`,
		`{"resultLocation":"nowhere","resultChecksum":{"v":0,"chunks":[{"from":-1,"to":-2,"hash":"x"}]}}`, // which placements refuses
	} {
		if _, ok := s.plainConnection(c, []byte(body)); !ok {
			t.Errorf("not plain: %s", body)
		}
	}
	if _, ok := s.plainTarget(c, []byte(targetBody(1, "doc"))); !ok {
		t.Error("a target is not plain")
	}
	c.Request.Header.Set("Prefer", "handling=strict")
	if _, ok := s.plainConnection(c, []byte(connectBody(1, "doc"))); ok {
		t.Error("a strict request is plain: its unknown keys would pass")
	}
	c.Request.Header.Del("Prefer")
	if _, ok := s.plainTarget(c, []byte(`{"placementId":"`+strings.Repeat("x", maxText+1)+`"}`)); ok {
		t.Error("a text beyond the limit is plain")
	}
}
