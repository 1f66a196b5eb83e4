package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/request"
)

// page is what follows an event of a deployment, ready to be sent: it is read and encoded once for all subscribers who are there.
type page struct {
	from, last string // ids: of the event that it follows, and of its own last one
	gap        bool   // events between were dropped
	messages   []message
	read       time.Time // who may read it is known as of then
}

// message is an event as it is sent.
type message struct {
	id     string
	report *record.Definition // that it is about; nil: it is gone, and no subscriber is sent this
	text   string
}

// batch is how many events a page has at most.
const batch = 100

// readPage reads what follows the event with the id from; a page without messages: nothing does.
func readPage(ctx context.Context, store *storage.Store, d record.Deployment, from string, now time.Time) (*page, error) {
	p := &page{from: from, last: from, read: now}
	events, err := store.Queue().Events.After(ctx, d, from, batch)
	if p.gap = errors.Is(err, queue.ErrGap); err != nil && !p.gap {
		return nil, err
	}
	reports := map[int64]*record.Definition{}
	for _, e := range events {
		if _, known := reports[e.ReportID]; !known {
			reports[e.ReportID], err = store.Reports().Definition(ctx, d, e.ReportID)
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return nil, err
			}
		}
		data, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
		p.messages, p.last = append(p.messages, message{e.ID, reports[e.ReportID], text}), e.ID
	}
	return p, nil
}

// fresh reports whether who may read the page is known well enough.
func (p *page) fresh(now time.Time) bool { return now.Sub(p.read) < request.Recheck }
