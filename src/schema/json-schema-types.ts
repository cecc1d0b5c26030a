/** Owns the type of a JSON Schema as plain data. Pure. */

/** A JSON Schema: an object of keywords, or `true` for anything and `false` for nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
