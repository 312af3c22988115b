// Package archtest holds the rules of docs/architecture.md as tests: which way
// imports point, where SQL, drivers, time, randomness and the process
// environment may appear, and how large a file may grow.
//
// It reads source files and knows nothing of what they do. A failure names the
// file and the line, and says what to do instead.
package archtest
