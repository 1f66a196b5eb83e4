// Package demo tries everything with sample data: a service in this process, a source, workbooks and a page that shows what happens.
package demo
