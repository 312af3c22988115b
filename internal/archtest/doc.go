// Package archtest contains the rules of docs/architecture.md as tests:
// directions of imports, where SQL, drivers, time, randomness and the process
// environment may appear, and how large a file may grow.
//
// It reads only source files. A failure names the file and the line, and says
// what to do instead.
package archtest
