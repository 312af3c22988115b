//go:build !linux

package memory

// releaseFilePages does nothing where the system has no call for it.
func releaseFilePages() {}
