//go:build !linux

package sqlite

// commitJoined commits the transaction of a connection whose file has a log.
func commitJoined(c *conn) error { return c.run(commit) }
