package record

import "encoding/json"

// Optional is a value that a request may leave out, clear with null, or set (decisions.md §1). The zero value is one left out.
type Optional[T any] struct {
	Sent  bool
	Value *T // nil when null was sent
}

// Sent is an Optional that sets v.
func Sent[T any](v T) Optional[T] { return Optional[T]{Sent: true, Value: &v} }

// Null is an Optional that clears.
func Null[T any]() Optional[T] { return Optional[T]{Sent: true} }

// OrZero is the value, or the zero value when none was sent or null was.
func (o Optional[T]) OrZero() (v T) {
	if o.Value != nil {
		v = *o.Value
	}
	return v
}

// set gives target the value sent; null gives it the zero value.
func (o Optional[T]) Set(target *T) {
	if o.Sent {
		*target = o.OrZero()
	}
}

// SetNullable is set for a target that null leaves empty.
func (o Optional[T]) SetNullable(target **T) {
	if o.Sent {
		*target = o.Value
	}
}

// MarshalJSON returns the value, or null. A member that may be left out has the tag omitzero.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON reads a value or null; it is called only for a member that is there.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{Sent: true}
	return json.Unmarshal(text, &o.Value)
}
