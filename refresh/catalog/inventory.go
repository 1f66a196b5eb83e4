package catalog

import (
	"iter"
	"slices"
	"strings"

	"mooring/refresh/source"
)

// Inventory is what a source listed at one moment. It is shared and never changed.
type Inventory struct {
	datasets []source.Dataset
	texts    []string // of each what is searched, in small letters
	fields   int      // of all
}

// newInventory returns the listing of some datasets.
func newInventory(datasets []source.Dataset) *Inventory {
	l := &Inventory{datasets: datasets, texts: make([]string, len(datasets))}
	for i, d := range datasets {
		words := []string{d.Name, d.Title, d.Description}
		for _, field := range slices.Concat(d.Members, d.Columns) {
			words = append(words, field.Name)
			l.fields++
		}
		l.texts[i] = strings.ToLower(strings.Join(words, "\n"))
	}
	return l
}

// Search goes through the datasets behind a place, "" being the begin, whose name, title, description or names of members or columns have a
// text in them, whether in small letters or capital ones. With each comes its place.
func (l *Inventory) Search(text string, behind Place) iter.Seq2[Place, *source.Dataset] {
	text = strings.ToLower(text)
	return func(yield func(Place, *source.Dataset) bool) {
		for i := l.next(behind); i < len(l.datasets); i++ {
			if strings.Contains(l.texts[i], text) && !yield(placeOf(i, &l.datasets[i]), &l.datasets[i]) {
				return
			}
		}
	}
}

// next returns the index behind a place, which may be of another listing of the source: the name counts where there is one like it.
func (l *Inventory) next(behind Place) int {
	if behind == "" {
		return 0
	}
	index, name := behind.parts()
	if index < len(l.datasets) && l.datasets[index].Name == name {
		return index + 1
	}
	if i := slices.IndexFunc(l.datasets, func(d source.Dataset) bool { return d.Name == name }); i >= 0 {
		return i + 1
	}
	return index
}
