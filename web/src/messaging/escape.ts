/** Escapes typed text for display as a draft, until the server returns the stored form. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Converts the handles that completions inserted into mentions. */
export function withMentions(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replace(/[@#][\p{L}\p{N}._-]+/gu, (word) => {
    for (let end = word.length; end > 1; end--) {
      const id = ids.get(word.slice(0, end));
      if (id) {
        return `<${word[0]}${id}>${word.slice(end)}`;
      }
      if (!/[._-]/.test(word[end - 1] ?? '')) {
        break; // only punctuation at the end of a sentence is excluded
      }
    }
    return word;
  });
}
