// Package keep looks after a storage as a whole: the layout of what is stored, backups of tenants, their restore, and placements that another
// service kept.
package keep
