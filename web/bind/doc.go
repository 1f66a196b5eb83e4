// Package bind reads the JSON object of a request body. A function names the members of the object, each with the variable that takes
// it and what it may hold; one pass over the text then fills the variables and collects every fault, each with its JSON pointer.
//
// Read calls that function once for each member that the object has, and once more at its end: it only names members, in the same order
// each time. A member of a name that was named already is the first one's.
//
// A member that is null is taken as one that is absent, except by an optional variable, which distinguishes the two, and except where it is
// Required. A variable whose member has a fault stays as it was; an object with faults within is taken with what is right of it. Names are
// case-sensitive.
package bind
