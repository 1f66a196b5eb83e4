package placements

import (
	"cmp"
	"encoding/json"
)

// Optional is a value that a request may leave out, clear with null, or set (decisions.md §1). The zero value is one left out.
type Optional[T any] struct {
	Sent  bool
	Value *T // nil when null was sent
}

// Sent returns an Optional that sets v.
func Sent[T any](v T) Optional[T] { return Optional[T]{Sent: true, Value: &v} }

// Null returns an Optional that clears.
func Null[T any]() Optional[T] { return Optional[T]{Sent: true} }

// Or returns the value, or v when none was sent or null was.
func (o Optional[T]) Or(v T) T { return *cmp.Or(o.Value, &v) }

// OrZero returns the value, or the zero value when none was sent or null was.
func (o Optional[T]) OrZero() (v T) { return o.Or(v) }

// Set sets target to the value sent, and to the zero value when that was null.
func (o Optional[T]) Set(target *T) {
	if o.Sent {
		*target = o.OrZero()
	}
}

// SetNullable is Set for a target that null leaves empty.
func (o Optional[T]) SetNullable(target **T) {
	if o.Sent {
		*target = o.Value
	}
}

// over returns o, or under when o was left out. What o clears is left out.
func (o Optional[T]) over(under Optional[T]) Optional[T] {
	switch {
	case !o.Sent:
		return under
	case o.Value == nil:
		return Optional[T]{}
	}
	return o
}

// same reports whether both were left out, or cleared, or set to one value.
func same[T comparable](a, b Optional[T]) bool {
	return a.Sent == b.Sent && (a.Value == nil) == (b.Value == nil) && a.OrZero() == b.OrZero()
}

// MarshalJSON returns the value, null for one that clears.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON reads a value or null; it is called only for a key that was sent.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{Sent: true}
	return json.Unmarshal(text, &o.Value)
}
