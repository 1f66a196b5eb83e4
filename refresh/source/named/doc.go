// Package named finds the parameters that a query names as @name, and puts their values in their places.
//
// A Dialect is how a kind of database writes SQL: it knows what is a text, a quoted name or a comment, in which @name means nothing. Faults
// says of a report that is saved what is wrong with the names in its query; Bind makes a Statement of a query and its values. A source binds
// the values of a Statement, so that they are never part of the text. Those that cannot bind have the dialect Literals, whose statements hold
// the values as literals of its one function, Literal.
package named
