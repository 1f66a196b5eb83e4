package xml

import "bytes"

// Local is the name of the element whose tag the token is, without its prefix. Unlike Is it is of any namespace, and counts in every branch
// of AlternateContent.
func (s *Scanner) Local() []byte { return s.name[bytes.IndexByte(s.name, ':')+1:] }

// EditAttr is the edit that gives an attribute of the token another value; false when it has no such attribute.
func (s *Scanner) EditAttr(name, value string) (Edit, bool) {
	from, to := attrSpan(s.Attrs, name)
	if from < 0 {
		return Edit{}, false
	}
	attrs := s.From + int64(len("<")+len(s.name))
	return Edit{From: attrs + int64(from), To: attrs + int64(to), With: appendValue(nil, value, s.Attrs[from-1])}, true
}
