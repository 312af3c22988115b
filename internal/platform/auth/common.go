package auth

import (
	"strings"
	"unicode/utf8"
)

// commonWords are the words in most common passwords. People add digits, replace
// letters by digits or repeat the word, which isCommon undoes.
var commonWords = func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`
		password passwort passw passwd pass secret letmein welcome admin administrator root user guest login master
		default changeme change test testing tester demo sample example temp temporary qwerty qwertz azerty asdf asdfgh
		zxcvb zxcvbn iloveyou loveyou love lovely lover princess sunshine monkey dragon football baseball basketball
		soccer hockey superman batman spiderman pokemon starwars startrek shadow killer trustno hello freedom whatever
		flower michael jordan jennifer jessica ashley daniel thomas robert andrew joshua matthew charlie george william
		anthony nicole michelle hunter ranger buster harley mustang ferrari corvette mercedes porsche computer internet
		google facebook twitter linkedin microsoft windows samsung apple android samantha elizabeth victoria alexander
		christian jonathan liverpool arsenal chelsea barcelona manchester summer winter spring autumn january february
		march april june july august september october november december monday tuesday wednesday thursday friday
		saturday sunday cookie pepper ginger cheese chocolate banana orange purple silver golden diamond rainbow
		butterfly angel babygirl baby family forever friends jesus blessed heaven purple lucky happy maverick phoenix
		maggie tigger snoopy garfield mickey merlin matrix hacker access server database system network security
		company business office service support student teacher letme abc abcd abcde abcdef qazwsx understudy`) {
		all[w] = true
	}
	return all
}()

// rows are sequences of adjacent characters.
var rows = []string{"01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
	"1qaz2wsx3edc4rfv5tgb", "qazwsxedcrfvtgb", "1q2w3e4r5t6y7u8i9o", "q1w2e3r4t5y6u7i8"}

var (
	notLetters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")
	asL        = strings.NewReplacer("0", "o", "1", "l", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "l")
)

// isCommon reports whether a password is easily guessed: a common word with
// digits and signs around it, a repeated piece, or a sequence of the alphabet,
// digits or keyboard.
func isCommon(password string) bool {
	p := strings.ToLower(strings.TrimSpace(password))
	if isRun(p) || isRepeated(p) {
		return true
	}
	for _, form := range []string{p, notLetters.Replace(p), asL.Replace(p)} {
		word := strings.Trim(form, "0123456789!?.,;:*+-_#@$%&/()= ")
		if commonWords[word] || word != "" && word != p && (isRun(word) && len(p)-len(word) < 6 || isRepeated(word)) {
			return true
		}
	}
	// As in "password1": trailing digits are not replaced letters.
	word := strings.TrimRight(p, "0123456789!?.,;:*+-_#@$%&/()= ")
	for _, form := range []string{word, notLetters.Replace(word), asL.Replace(word)} {
		if commonWords[form] {
			return true
		}
	}
	return strings.Trim(p, "0123456789 .-/") == "" && len(p) < 10 // such as a date or telephone number
}

// isRun reports whether p is one or two sequences of a row, forwards or
// backwards.
func isRun(p string) bool {
	rest := p
	for range 2 {
		rest = rest[longestRun(rest):]
	}
	return rest == "" && len(p) >= 3
}

// longestRun returns the length of the longest sequence of a row at the start of
// p, in bytes.
func longestRun(p string) (longest int) {
	for _, row := range rows {
		for _, r := range []string{row, reversed(row)} {
			for n := min(len(p), len(r)); n > max(longest, 2); n-- {
				if strings.Contains(r, p[:n]) {
					longest = n
				}
			}
		}
	}
	return longest
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// isRepeated reports whether p repeats a piece of at most four characters, or a
// common word.
func isRepeated(p string) bool {
	n := utf8.RuneCountInString(p)
	for size := 1; size <= n/2; size++ {
		piece := string([]rune(p)[:size])
		if n%size == 0 && strings.Repeat(piece, n/size) == p {
			return size <= 4 || commonWords[piece]
		}
	}
	return false
}
