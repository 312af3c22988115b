// Package system has what differs between operating systems: locks on files, how
// many files a process may open, how names in a folder are made durable, and what
// a terminal understands.
package system
