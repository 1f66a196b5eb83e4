package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"mooring/placements"
	"mooring/refresh/source/sqlite"
)

// What a run replaced is put back from the screen that shows it: the values stand in the file again, as edits that refreshes keep.
func TestConsolePutsBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copies("board.xlsx")
	path, id := s.report("1", "SELECT name, amount FROM t")
	s.place(path, "board", "board.xlsx", placements.SheetsB, "States!C20")
	s.settled(s.runOf(path))
	if err := sqlite.Exec(t.Context(), filepath.Join(s.dir, "shop.db"), []string{"UPDATE t SET amount = amount + 1000"}, nil); err != nil {
		t.Fatal(err)
	}
	s.settled(s.runOf(path))
	c := s.console(fmt.Sprintf("placements/%d/board", id))
	const button = `document.querySelector(".change [id^=put-back-]")`
	c.until(button + ` && document.querySelector(".change details[open] del")`) // the last change, before and after
	if n := evalAs[int](c.page, `document.querySelectorAll("[id^=put-back-]").length`); n != 1 {
		t.Errorf("%d changes can be put back; of the first there is nothing", n)
	}
	c.looksRight("change")
	c.size(1280, 800)
	c.eval("(" + button + ".click(), null)")
	c.until(`document.querySelector("dialog[open]")`)
	c.looksRight("sure")
	c.size(1280, 800)
	c.eval(`[...document.querySelectorAll("dialog button")].find((b) => b.textContent === "Put back").click()`)
	c.shows("put back what a run before had replaced")
	var edits struct{ Items []struct{ Cell string } }
	if err := s.client.do(t.Context(), "GET", path+"/placements/board/edits", nil, &edits); err != nil {
		t.Fatal(err)
	}
	if len(edits.Items) == 0 {
		t.Error("what was put back is no edit")
	}
	c.goTo(fmt.Sprintf("runs?report=%d", id))
	c.click(evalAs[string](c.page, `document.querySelector("#main tbody th a").textContent`))
	c.settled()
	c.shows("Put back")
}
