package web

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// answerRuns answers with a page of a history, the latest fire time first. The cursor is the place of the last run shown, so that new runs
// shift no page.
func answerRuns(c *gin.Context, runs []*storage.Run) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	after, err := runCursor(c.Query("after"))
	if err != nil {
		return err
	}
	slices.SortFunc(runs, func(a, b *storage.Run) int { return strings.Compare(placeOf(b), placeOf(a)) })
	runs = slices.DeleteFunc(runs, func(run *storage.Run) bool { return after != "" && placeOf(run) >= after })
	page := runs[:min(first, len(runs))]
	info := pageInfo{HasNextPage: len(page) < len(runs)}
	if len(page) > 0 {
		end := base64.RawURLEncoding.EncodeToString([]byte(placeOf(page[len(page)-1])))
		info.EndCursor = &end
	}
	c.JSON(http.StatusOK, gin.H{"items": page, "pageInfo": info})
	return nil
}

// placeOf is where a run stands in a history: fire times are texts of one length.
func placeOf(run *storage.Run) string { return run.FireTime + " " + run.ID }

// runCursor reads a cursor of answerRuns; empty: from the start.
func runCursor(sent string) (place string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(sent)
	if at, _, ok := strings.Cut(string(text), " "); err == nil && ok {
		_, err = time.Parse(time.RFC3339, at)
	} else if sent != "" {
		err = cmp.Or(err, errors.New("no place of a run"))
	}
	if err != nil {
		return "", refuse(codeCursor, "after is not a cursor of this list: send the endCursor of the page before.").because(err)
	}
	return string(text), nil
}
