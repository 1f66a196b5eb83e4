package graph_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// shelf is a site of two libraries, beside one that the configuration does not name.
type shelf struct {
	*graph.Workbooks
	fake *graphfake.Server
	ids  *int
}

// trees is how many random trees are grown: MOORING_TREES of them, else a few.
func trees(t *testing.T, few int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("MOORING_TREES")); err == nil {
		return n
	}
	return few
}

func TestFindInRandomTrees(t *testing.T) {
	shelves := 0
	hosttest.FindIn(t, trees(t, 150), func(t testing.TB) hosttest.Shelf {
		fake := graphfake.Start()
		t.Cleanup(fake.Close)
		if shelves++; shelves%4 == 0 {
			fake.RefuseSearch()
		}
		fake.AddSite(finance, graphfake.Write, "Documents", "Archive")
		fake.AddSite(secret, graphfake.Write, "Documents")
		g, err := graph.New(graph.Settings{
			TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Sites: []string{finance},
			Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return shelf{g, fake, new(int)}
	})
}

// place is the drive and the path there of a path on the shelf.
func (s shelf) place(path string) (drive, below string) {
	library, below, _ := strings.Cut(path, "/")
	if library == hosttest.Outside {
		return graphfake.DriveOf(secret, "Documents"), below
	}
	return graphfake.DriveOf(finance, library), below
}

func (s shelf) Add(t testing.TB, path string, i host.Identity) string {
	*s.ids++
	id := "01ITEM" + strconv.Itoa(*s.ids)
	drive, below := s.place(path)
	s.fake.AddTo(drive, below, id, book.New(10, 10, "Data"))
	s.Say(t, id, i)
	return id
}

func (s shelf) Say(_ testing.TB, id string, i host.Identity) {
	s.fake.Edit(id, func(b *book.Book) {
		b.DeleteName(host.DocumentName)
		if i != (host.Identity{}) {
			b.AddName(book.Name{Name: host.DocumentName, Text: i.String(), Hidden: true})
		}
	})
}

func (s shelf) Copy(_ testing.TB, id, path string) string {
	drive, below := s.place(path)
	return s.fake.Copy(id, drive, below)
}

func (s shelf) Move(_ testing.TB, id, path string) string {
	drive, below := s.place(path)
	return s.fake.Move(id, drive, below)
}

func (s shelf) Remove(_ testing.TB, id string) { s.fake.Remove(id) }

func (s shelf) Addresses(_ testing.TB, id string) []string {
	address := s.fake.Address(id)
	web := strings.Replace(address, ".com/", ".com/:x:/r/", 1)
	return []string{
		address, strings.ReplaceAll(address, "%20", " "), strings.Replace(address, "contoso", "Contoso", 1) + "?web=1", web + "?d=w0", s.fake.Share(id),
	}
}
