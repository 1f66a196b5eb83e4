// Package graph is the host of Excel workbooks in OneDrive for Business and SharePoint, through Microsoft Graph. Workbooks is the
// host; a step is one request of a write, an area the cells that one request reads.
package graph
