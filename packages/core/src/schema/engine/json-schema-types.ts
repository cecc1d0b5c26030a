/** Type of a JSON Schema as plain data. Pure. */

/** A JSON Schema: an object of keywords, `true` for anything, or `false` for nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
