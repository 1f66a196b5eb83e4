// Package plans is the room of assets as code: plans of what makes a deployment's assets what a bundle wants, applying them, and what a project
// manages.
package plans
