package checksum

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConversionOfSourceValues(t *testing.T) {
	berlin := location(t, "Europe/Berlin")
	instant := time.Date(2024, 7, 1, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name string
		add  func(*Builder)
		want Cell
	}{
		{"an integer is a number", func(b *Builder) { b.Int(-42) }, Num(-42)},
		{"2^53 is a number", func(b *Builder) { b.Int(1 << 53) }, Num(1 << 53)},
		{"2^53+1 is text", func(b *Builder) { b.Int(1<<53 + 1) }, Str("9007199254740993")},
		{"-2^53-1 is text", func(b *Builder) { b.Int(-1<<53 - 1) }, Str("-9007199254740993")},
		{"the smallest integer is text", func(b *Builder) { b.Int(math.MinInt64) }, Str("-9223372036854775808")},
		{"an unsigned 2^53 is a number", func(b *Builder) { b.Uint(1 << 53) }, Num(1 << 53)},
		{"the largest unsigned integer is text", func(b *Builder) { b.Uint(math.MaxUint64) }, Str("18446744073709551615")},
		{"a float32 is what its decimal form says", func(b *Builder) { b.Float32(0.1) }, Num(0.1)},
		{"a float32 NaN is an error", func(b *Builder) { b.Float32(float32(math.NaN())) }, Err(NotANumber)},
		{"a float32 infinity is an error", func(b *Builder) { b.Float32(float32(math.Inf(-1))) }, Err(NotANumber)},

		{"a decimal is a number", func(b *Builder) { b.Decimal("-12.50") }, Num(-12.5)},
		{"zero with a scale is zero", func(b *Builder) { b.Decimal("0.000") }, Num(0)},
		{"a small decimal of many zeros is a number", func(b *Builder) { b.Decimal("0.00000000000000000001") }, Num(1e-20)},
		{
			"19 digits behind the point are the nearest number", func(b *Builder) { b.Decimal("0.1234567890123456789") },
			Num(0.1234567890123456789),
		},
		{"20 digits around the point are too", func(b *Builder) { b.Decimal("12345678901.123456789") }, Num(12345678901.123456789)},
		{"an average's endless fraction is the nearest number", func(b *Builder) { b.Decimal("3.3333333333333333") }, Num(10.0 / 3)},
		{"2^53 as a decimal is a number", func(b *Builder) { b.Decimal("9007199254740992") }, Num(1 << 53)},
		{"-2^53 too", func(b *Builder) { b.Decimal("-9007199254740992") }, Num(-1 << 53)},
		{"2^53+1 is text, as an integer is", func(b *Builder) { b.Decimal("9007199254740993") }, Str("9007199254740993")},
		{"what is rounded to 2^53 is text", func(b *Builder) { b.Decimal("9007199254740991.9") }, Str("9007199254740991.9")},
		{"a round key is text, as its neighbours are", func(b *Builder) { b.Decimal("123456789012345000") }, Str("123456789012345000")},
		{
			"a long decimal keeps every digit as text", func(b *Builder) { b.Decimal("12345678901234567890.123") },
			Str("12345678901234567890.123"),
		},
		{"a size beyond 2^53 is a number", func(b *Builder) { b.Decimal("1.2345678901234567e+25") }, Num(1.2345678901234567e25)},
		{"zero has any exponent", func(b *Builder) { b.Decimal("0e9") }, Num(0)},
		{"a decimal beyond a double is text", func(b *Builder) { b.Decimal("1e400") }, Str("1e400")},
		{"a decimal too small for a double is text", func(b *Builder) { b.Decimal("1e-400") }, Str("1e-400")},
		{
			"one that a double holds to fewer digits is text", func(b *Builder) { b.Decimal("1.2345678901234567e-310") },
			Str("1.2345678901234567e-310"),
		},
		{"a decimal NaN is an error", func(b *Builder) { b.Decimal("NaN") }, Err(NotANumber)},
		{"a decimal infinity is an error", func(b *Builder) { b.Decimal("-Infinity") }, Err(NotANumber)},
		{"what is no decimal is text", func(b *Builder) { b.Decimal("12 EUR") }, Str("12 EUR")},
		{"a hexadecimal float is no decimal", func(b *Builder) { b.Decimal("0x1p4") }, Str("0x1p4")},
		{"an empty decimal is empty", func(b *Builder) { b.Decimal("") }, Cell{}},

		{"binary is hex", func(b *Builder) { b.Binary([]byte{0, 0xAB, 0xFF}) }, Str("00abff")},
		{"no bytes are an empty cell", func(b *Builder) { b.Binary(nil) }, Cell{}},
		{"bytes of text are text", func(b *Builder) { b.TextBytes([]byte("a\rb")) }, Str("a\nb")},
		{"null is an empty cell", func(b *Builder) { b.Empty() }, Cell{}},
		{"a UUID is its usual text", func(b *Builder) {
			b.UUID([16]byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0})
		}, Str("123e4567-e89b-12d3-a456-426614174000")},
		{
			"JSON loses its blanks, but not in strings", func(b *Builder) { b.JSON([]byte("{\"a b\": [1,\n 2, \"\\\" x\"]}")) },
			Str(`{"a b":[1,2,"\" x"]}`),
		},
		{"JSON text that is no UTF-8 is made so", func(b *Builder) { b.JSON([]byte("\"\xff\xff\xff x\"")) }, Str("\"\uFFFD x\"")},

		{"the first day that is a number is 61", func(b *Builder) { b.Date(1900, 3, 1) }, Num(61)},
		{"the day before it is text, for the hosts disagree on its number", func(b *Builder) { b.Date(1900, 2, 28) }, Str("1900-02-28")},
		{"a date is its day number", func(b *Builder) { b.Date(2024, 2, 29) }, Num(45351)},
		{"a date before the epoch is text", func(b *Builder) { b.Date(850, 7, 4) }, Str("0850-07-04")},
		{"a timestamp is the wall time of its zone", func(b *Builder) { b.Timestamp(instant, berlin) }, Num(45474.520833333336)},
		{"a timestamp without a zone given is UTC", func(b *Builder) { b.Timestamp(instant.In(berlin), nil) }, Num(45474.4375)},
		{"a wall time is what its clock shows", func(b *Builder) { b.WallTime(instant.In(berlin)) }, Num(45474.520833333336)},
		{"the first wall time that is a number", func(b *Builder) { b.WallTime(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) }, Num(61)},
		{"a wall time before it is text", func(b *Builder) {
			b.WallTime(time.Date(1900, 2, 28, 23, 59, 59, 500_000_000, time.UTC))
		}, Str("1900-02-28T23:59:59.5")},
		{"a timestamp is judged by the wall time of its zone", func(b *Builder) {
			b.Timestamp(time.Date(1900, 2, 28, 23, 30, 0, 0, time.UTC), time.FixedZone("", 3600))
		}, Num(61.020833333333336)},
		{"a time of day is a fraction", func(b *Builder) { b.TimeOfDay(18 * time.Hour) }, Num(0.75)},
		{"24:00 is a whole day", func(b *Builder) { b.TimeOfDay(24 * time.Hour) }, Num(1)},
		{"an interval of days and hours is a number", func(b *Builder) { b.Interval(0, 2, 36*time.Hour) }, Num(3.5)},
		{"a negative interval is a number", func(b *Builder) { b.Interval(0, -1, -12*time.Hour) }, Num(-1.5)},
		{
			"an interval of months is ISO 8601", func(b *Builder) { b.Interval(14, 3, 4*time.Hour+5*time.Minute+6500*time.Millisecond) },
			Str("P1Y2M3DT4H5M6.5S"),
		},
		{"an interval of only months has no time part", func(b *Builder) { b.Interval(-1, 0, 0) }, Str("P-1M")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b Builder
			tt.add(&b)
			b.Bool(true) // so that an empty cell is seen
			if diff := cmp.Diff([]Cell{tt.want, Bool(true)}, b.Grid().Cells(0, nil)); diff != "" {
				t.Errorf("cell (-want +got):\n%s", diff)
			}
		})
	}
}

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestWallTimesAroundAChangeOfClocks(t *testing.T) {
	berlin := location(t, "Europe/Berlin")
	before := time.Date(2024, 3, 31, 0, 59, 59, 0, time.UTC) // 01:59:59, a second before 02:00 becomes 03:00
	var b Builder
	b.Timestamp(before, berlin)
	b.Timestamp(before.Add(time.Second), berlin)
	cells := b.Grid().Cells(0, nil)
	const second = 1.0 / 86400
	if jump := (cells[1].Number - cells[0].Number) / second; math.Abs(jump-3601) > 0.01 {
		t.Errorf("the wall clock moved %v s, want 3601", jump)
	}
}
