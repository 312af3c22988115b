/** The query of an address: every value is text, and an absent one is undefined. */
export type Search = Record<string, string | undefined>;
