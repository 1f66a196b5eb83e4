package pivot

import (
	"math"
	"strconv"

	"mooring/checksum"
)

// notSummable is what a spreadsheet shows for a sum of text.
const notSummable = "#VALUE!"

// sum adds up cells: numbers by value, empty cells as nothing. A single cell of any kind is itself; a text or truth value
// among several cells makes #VALUE!, and an error is passed on, as in a spreadsheet.
type sum struct {
	cell  checksum.Cell
	lost  float64 // what rounding took from cell.Number so far
	added int
}

func (s *sum) add(c checksum.Cell) {
	switch {
	case c.Kind == checksum.Empty:
		return
	case s.added == 0:
		s.cell = c
	case s.cell.Kind == checksum.Error:
	case c.Kind == checksum.Error:
		s.cell = c
	case c.Kind != checksum.Number || s.cell.Kind != checksum.Number:
		s.cell = checksum.Err(notSummable)
	default:
		s.number(c.Number)
	}
	s.added++
}

// number adds with Neumaier's compensation.
func (s *sum) number(v float64) {
	t := s.cell.Number + v
	if math.Abs(s.cell.Number) >= math.Abs(v) {
		s.lost += s.cell.Number - t + v
	} else {
		s.lost += v - t + s.cell.Number
	}
	s.cell.Number = t
}

// total is the sum as a cell. It has the 15 significant digits that a spreadsheet shows: the last bits depend on the order in which
// a database happens to return its rows, and would make a cell look changed.
func (s *sum) total() checksum.Cell {
	if s.added < 2 || s.cell.Kind != checksum.Number {
		return s.cell
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(s.cell.Number+s.lost, 'g', 15, 64), 64)
	if err != nil {
		return checksum.Num(s.cell.Number + s.lost)
	}
	return checksum.Num(rounded)
}
