//go:build !linux

package memory

// releaseFilePages does nothing on this system.
func releaseFilePages() {}
