/** The query parameters of a URL: each value is a string, and undefined if absent. */
export type Search = Record<string, string | undefined>;
