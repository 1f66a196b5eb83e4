// Package graphfake is the part of Microsoft Graph that a host of workbooks needs, over HTTP, with the token endpoint. It is as
// strict as the published reference: an unknown property, parameter or path is refused. It reads strings as Excel does when
// they are typed, so that text without an apostrophe becomes a formula, number or date. It can be told to fail, and its
// workbooks can be edited as a person edits them.
package graphfake
