package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/record"
)

// What was changed while a write was decided is neither lost nor overlooked, although the write holds no lock.
func TestAReportIsDecidedOnAgainWhenItChangedMeanwhile(t *testing.T) {
	writes := map[string]func(s *storage.Store, report int64, allow func(*storage.Report) error) error{
		"update": func(s *storage.Store, report int64, allow func(*storage.Report) error) error {
			_, err := s.Reports().Update(t.Context(), shop, report, named("by the update", ""), ada, allow)
			return err
		},
		"access": func(s *storage.Store, report int64, allow func(*storage.Report) error) error {
			roles := []record.RoleAccess{{ID: 5, Name: "Analysts", Actions: []string{record.ActionReportRead}}}
			_, err := s.Reports().UpdateAccess(t.Context(), shop, report, roles, ada, allow)
			return err
		},
	}
	for name, write := range writes {
		each(t, func(t *testing.T, s *storage.Store) {
			r := create(t, s, shop, named("Sales", ""))
			var versions []int64
			must(t, write(s, r.ID, func(seen *storage.Report) error {
				if versions = append(versions, seen.Version); len(versions) == 1 {
					_, err := s.Reports().Update(t.Context(), shop, r.ID, record.ReportInput{Title: placements.Sent("meanwhile")}, ada, anyone)
					must(t, err)
				}
				return nil
			}))
			if now := load(t, s, shop, r.ID); len(versions) != 2 || versions[1] != 2 || now.Version != 3 || now.Title != "meanwhile" {
				t.Errorf("%s was decided on the versions %v, and left version %d with the title %q", name, versions, now.Version, now.Title)
			}
		})
	}
}

// A publicId that was shown before is adopted without another version of the report.
func TestAnUpdateSeesAPublicIDThatWasAdoptedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		tries := 0
		_, err := s.Reports().Update(t.Context(), shop, r.ID, withPublicID(record.ReportInput{}, chosen), ada, func(seen *storage.Report) error {
			if tries++; tries == 1 {
				_, err := s.Reports().Update(t.Context(), shop, r.ID, withPublicID(record.ReportInput{}, seen.PublicID), ada, anyone)
				must(t, err)
			}
			return nil
		})
		if refused, ok := errors.AsType[*placements.Error](err); tries != 2 || !ok || load(t, s, shop, r.ID).PublicID != r.PublicID {
			t.Errorf("decided %d times: %v, %v", tries, refused, err)
		}
	})
}

func TestAScheduleIsDecidedOnAgainWhenItChangedMeanwhile(t *testing.T) {
	meanwhile := map[string]func(c *clockwork) error{
		"another version": func(c *clockwork) error {
			return c.edit(func(now *record.Schedule) { now.Name = "another" })
		},
		"another owner": func(c *clockwork) error { // which is no version
			return c.edit(func(now *record.Schedule) { now.Owner = adaReads })
		},
		"gone": func(c *clockwork) error {
			return c.s.Schedules().Delete(c.Context(), c.d(), c.schedule, ada, func(*record.Schedule) error { return nil })
		},
	}
	for name, change := range meanwhile {
		eachClockwork(t, "skip", func(c *clockwork) {
			asked, want := 0, c.stored()
			err := c.edit(func(now *record.Schedule) {
				if asked++; asked == 1 {
					must(c.T, change(c))
					if name != "gone" {
						want = c.stored()
					}
				}
				now.Key = "daily"
			})
			if name == "gone" {
				if !errors.Is(err, storage.ErrNotFound) {
					c.Errorf("of a schedule that went meanwhile: %v", err)
				}
				return
			}
			must(c.T, err)
			if now := c.stored(); asked != 2 || now.Key != "daily" || now.Name != want.Name || len(now.Owner.Actions) != len(want.Owner.Actions) {
				c.Errorf("%s: decided %d times, and then it is %+v", name, asked, now)
			}
		})
	}
}

// edit changes the schedule, and leaves when it fires next.
func (c *clockwork) edit(change func(*record.Schedule)) error {
	_, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, ada, func(now *record.Schedule) (record.Tick, error) {
		change(now)
		return at(tick), nil
	})
	return err
}

func TestEditsAreGivenBackOfTheRunThatEndedMeanwhile(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)})
		asked := 0
		must(c.T, c.s.Placements().ReturnEdits(c.Context(), c.d(), c.report.ID, p.ID, nil, ada, func(*storage.Report, *placements.Placement) error {
			if asked++; asked == 1 {
				c.leaveEdits(p, []record.Edit{seen("b", 2, 0, monday)})
			}
			return nil
		}))
		if got := returned(c.edits(p)); asked != 2 || got != "b" {
			c.Errorf("decided %d times; given back is %q", asked, got)
		}
	})
}

func TestWhatAnotherGaveBackMeanwhileIsNotGivenBackAgain(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		c.leaveEdits(p, []record.Edit{seen("a", 1, 0, monday)})
		marks := keys.Of(c.d(), storage.DefaultPartitions).Blocks().ReturnedEdits(c.report.ID, p.ID)
		ended := c.s.Before(2, func() { must(c.T, c.s.Client().SAdd(c.Context(), marks, "a").Err()) }) // when the placement and its edits were read
		must(c.T, c.giveBack(p))
		ended()
		for _, e := range entries(c.T, c.s, journal.Filter{}) {
			if e.Action == "placement.return" {
				c.Errorf("the audit has %+v", e)
			}
		}
	})
}
