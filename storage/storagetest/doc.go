// Package storagetest gives tests a storage: the embedded one, and a real redis-server that the test starts and ends itself.
package storagetest
