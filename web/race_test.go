package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mooring/placements"
	"mooring/storage/storagetest"
	"mooring/web/request"
)

// simultaneous is how many first upserts of one key arrive together.
const simultaneous = 64

// raceRounds is how often they do; MOORING_RACE_ROUNDS changes it.
func raceRounds(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("MOORING_RACE_ROUNDS"))
	if err != nil {
		return 20
	}
	return n
}

// TestSimultaneousFirstUpserts: of the first upserts of one key exactly one creates; every other answer is 409 upsert_branch_changed, or 200
// with the same id when its branch was chosen after the creation. Two instances share the work.
func TestSimultaneousFirstUpserts(t *testing.T) {
	t.Parallel()
	for kind, path := range map[string]string{"report": "/reports/by-public-id/Race%08d", "workbook": "/workbooks/by-slug/race-%d"} {
		t.Run(kind, func(t *testing.T) {
			s := storagetest.Open(t, storagetest.Redis(t))
			a, b := newAPI(t, s), newAPI(t, s)
			conflicts := 0
			for round := range raceRounds(t) {
				ids := map[int64]int{}
				for _, answer := range a.together(b, fmt.Sprintf("/api/v1/deployments/1"+path, round)) {
					conflicts += answer.judge(t, ids)
				}
				if len(ids) != 1 {
					t.Fatalf("round %d made %d assets: %v", round, len(ids), ids)
				}
			}
			if made := a.count(t, kind+"s"); made != raceRounds(t) {
				t.Errorf("%d %ss exist after %d rounds", made, kind, raceRounds(t))
			}
			t.Logf("%d rounds of %d: %d conflicts", raceRounds(t), simultaneous, conflicts)
		})
	}
}

// raced is one answer to a simultaneous upsert.
type raced struct {
	status int
	body   string
}

// together sends the upserts, half of them to each instance.
func (a *api) together(b *api, path string) []raced {
	answers := make([]raced, simultaneous)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			instance := a
			if i%2 == 1 {
				instance = b
			}
			r := httptest.NewRequest("PUT", path, strings.NewReader(`{"name":"race"}`))
			r.Header.Set("Authorization", "Bearer "+instance.tokens["editor"])
			w := httptest.NewRecorder()
			<-start
			instance.sut.ServeHTTP(w, r)
			answers[i] = raced{w.Code, w.Body.String()}
		})
	}
	close(start)
	all.Wait()
	return answers
}

// judge counts the id of a success, and gives 1 for the one conflict that is allowed.
func (r raced) judge(t *testing.T, ids map[int64]int) int {
	t.Helper()
	var answer struct {
		ID, Version int64
		Code        placements.Code
		Retryable   bool
	}
	if err := json.Unmarshal([]byte(r.body), &answer); err != nil {
		t.Fatal(err)
	}
	switch {
	case r.status == http.StatusOK && answer.Version == 1:
		ids[answer.ID]++
		return 0
	case r.status == http.StatusConflict && answer.Code == placements.CodeBranchChanged && answer.Retryable:
		return 1
	}
	t.Errorf("answer %d %s", r.status, r.body)
	return 0
}

// count is how many assets of a kind exist.
func (a *api) count(t *testing.T, kind string) int {
	t.Helper()
	return len(a.names(t, "admin", "/"+kind, request.MaxPage))
}

func TestAnUpsertAgainstADeletionNeverDoublesOrLoses(t *testing.T) {
	s := storagetest.Open(t, storagetest.Redis(t))
	a := newAPI(t, s)
	for round := range raceRounds(t) {
		path := fmt.Sprintf("/api/v1/deployments/1/reports/by-public-id/Gone%08d", round)
		made := a.object(t, step{method: "PUT", path: path, body: `{"name":"race"}`})
		var all sync.WaitGroup
		answers := make([]*httptest.ResponseRecorder, 2)
		for i, one := range []step{{method: "DELETE", path: fmt.Sprintf("/reports/%.0f", made["id"])}, {method: "PUT", path: path, body: `{"name":"race"}`}} {
			all.Go(func() { answers[i] = a.send(one) })
		}
		all.Wait()
		if answers[0].Code != http.StatusOK {
			t.Fatalf("the deletion: %d %s", answers[0].Code, answers[0].Body)
		}
		if code := answers[1].Code; code != http.StatusOK && !strings.Contains(answers[1].Body.String(), string(placements.CodeBranchChanged)) {
			t.Fatalf("the upsert: %d %s", code, answers[1].Body)
		}
		a.object(t, step{method: "PUT", path: path, body: `{"name":"race"}`})
	}
	if got := a.count(t, "reports"); got != raceRounds(t) {
		t.Errorf("%d reports, want %d", got, raceRounds(t))
	}
}
