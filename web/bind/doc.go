// Package bind reads the JSON object of a request body. A function names the members of the object, each with the variable that takes
// it and what it may hold; one pass over the text then fills the variables and collects every fault, each with its JSON pointer.
//
// A member that is null is taken as one that is absent, except by an Optional, which tells the two apart, and except where it is
// Required. A variable whose member has a fault stays as it was. Names are case-sensitive.
package bind
