// Package system contains what differs between operating systems: file locks, the
// limit of open files, making directory entries durable, and the capabilities of
// terminals.
package system
