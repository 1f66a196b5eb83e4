package cells

import (
	"slices"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

const deletedCell = "Other!F10, from which a parameter takes its value, was deleted: name another cell for it."

// followsACell places the report so that it has taken the value North from Other!F10, which is followed.
func (r *rig) followsACell() {
	r.Helper()
	r.types("F10", "North")
	r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
	r.place(r.Document, "C4", inCell("p", "F10"))
	r.succeeds()
	r.holds("at first", "C5", checksum.Str("North"))
}

// TestADeletedCell is a conflict, until a cell is named: another, or the same address, at which something else stands by then.
func TestADeletedCell(t *testing.T) {
	t.Parallel()
	for fact, at := range map[string]string{"another cell is named": "G3", "the address is said again": "F10"} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(r *rig) {
				r.followsACell()
				r.types("F11", "below")
				r.Editor.DeleteRows(r.T, r.Other, 10, 1)
				r.conflicts("a deleted cell", deletedCell)
				r.conflicts("a deleted cell, once more", deletedCell)
				r.types(at, "South")
				r.conflicts("until a cell is named", deletedCell)
				r.place(r.Document, "C4", inCell("p", at))
				r.succeeds()
				r.holds(fact, "C5", checksum.Str("South"))
				r.Editor.InsertRows(r.T, r.Other, 1, 2)
				run := r.succeeds()
				want := map[string]string{"G3": "Other!G5", "F10": "Other!F12"}[at]
				if got := run.Placements[0].Parameters["p"].Cell; got != want {
					r.Errorf("the cell that was named is followed to %s, want %s", got, want)
				}
			})
		})
	}
}

// TestACellThatComesBack: a user who undoes a deletion need not name the cell again.
func TestACellThatComesBack(t *testing.T) {
	t.Parallel()
	fake, of := googleSheets(t)
	r := newRig(t, of, texts(t))
	r.followsACell()
	var deleted book.Name
	remove := func() {
		fake.Edit(r.Document, func(b *book.Book) {
			deleted = *b.Names[slices.IndexFunc(b.Names, func(n *book.Name) bool { return isOfParameter(n.Name) })]
			b.DeleteName(deleted.Name)
		})
	}
	remove()
	r.conflicts("a name that is not listed", deletedCell)
	fake.Edit(r.Document, func(b *book.Book) { b.AddName(deleted) })
	r.types("F10", "South")
	r.succeeds()
	r.holds("the cell is back", "C5", checksum.Str("South"))
	remove()
	r.conflicts("it goes again", deletedCell)
}

// TestAPlainResendFollowsOn: a cell that was not deleted stays where it was followed to when the same is said of it again.
func TestAPlainResendFollowsOn(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.followsACell()
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.Editor.InsertRows(r.T, r.Other, 1, 2)
		r.types("F10", "left behind")
		r.types("F12", "South")
		r.succeeds()
		r.holds("said again", "C5", checksum.Str("South"))
	})
}

// TestASheetThatIsGone says so.
func TestASheetThatIsGone(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.followsACell()
		r.Editor.DeleteSheet(r.T, r.Other)
		want := deletedCell
		if r.ForgetsNames {
			want = "Other!F10, from which a parameter takes its value, is on a sheet that is not there: restore the sheet, or name another cell for it."
		}
		r.conflicts("a deleted sheet", want)
	})
}

// TestASheetThatIsNotThereYet: what has no name yet is looked for by its address.
func TestASheetThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
		r.place(r.Document, "C4", placements.ParameterSettings{"p": {Cell: "Setup!B2"}})
		r.conflicts("no such sheet", "Setup!B2, from which a parameter takes its value, is on a sheet that is not there: restore the sheet, or name another cell for it.")
		r.Editor.RenameSheet(r.T, r.Other, "Setup")
		r.Editor.Set(r.T, "Setup", "B2", checksum.Str("North"))
		r.succeeds()
		r.holds("a sheet of that name", "C5", checksum.Str("North"))
	})
}
