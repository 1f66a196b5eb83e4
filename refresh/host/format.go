package host

import "strings"

// IsDateFormat reports whether a number format shows a number as a date or a time.
func IsDateFormat(format string) bool {
	for i := 0; i < len(format); i++ {
		switch format[i] {
		case '\\', '_', '*':
			i++
		case '"':
			if n := strings.IndexByte(format[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case 'y', 'Y', 'm', 'M', 'd', 'D', 'h', 'H', 's', 'S':
			return true
		case '[':
			if n := strings.IndexByte(format[i:], ']'); n > 3 { // a colour or a locale; [h] is elapsed time
				i += n
			}
		}
	}
	return false
}
