// Package result makes the tables that reports show: it runs their queries, once for all who want the same at the same moment, and holds no
// more results at one time than there is memory for.
package result
