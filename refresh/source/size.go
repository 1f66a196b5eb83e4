package source

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes. In the configuration it is a whole number with or without a unit: 512MiB, 1GiB, 1048576.
type Size int64

// units are the units of a Size, the largest first.
func units() []sizeUnit { return []sizeUnit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} }

type sizeUnit struct {
	name  string
	bytes Size
}

// ParseSize reads a Size as the configuration has it.
func ParseSize(text string) (Size, error) {
	number, unit := strings.TrimSpace(text), Size(1)
	for _, u := range units() {
		if bare, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(bare), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) || n < -math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("%q is no size: write one such as 512MiB", text)
	}
	return Size(n) * unit, nil
}

// UnmarshalText reads what ParseSize reads.
func (s *Size) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSize(string(text))
	return err
}

// String is the size in its largest whole unit.
func (s Size) String() string {
	for _, u := range units() {
		if s != 0 && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + " bytes"
}
