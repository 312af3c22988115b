// Package system has what differs between operating systems: locks on files, how
// many files a process may open, and how names in a folder are made durable.
package system
