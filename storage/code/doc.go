// Package code keeps assets as code in the storage: it plans what makes a deployment's assets what a bundle wants, keeps the plan, and applies
// it. The largest write of all is an apply: thousands of assets in one transaction.
package code
