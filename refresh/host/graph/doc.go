// Package graph is the host of Excel workbooks in OneDrive for Business and SharePoint, through Microsoft Graph.
//
// Workbooks is the host. It works in a workbook session of the service, so that what it reads and writes is one state of the file, and
// sends requests in batches. A step is one request of a write, an area the cells that one request reads. The service has no transaction: a
// write sets the marker last and is safe to repeat. Text is quoted, since the service takes what begins with = for a formula.
package graph
