/** Owns what the schemas of the contract are to those who import them. Pure. */

/**
 * Reads a value of the contract, or describes it.
 *
 * The name stands between the contract's types, which are published, and the library of the schemas beside them, which is not: a bundle of
 * declarations keeps every import statement of a file, whatever of that file is used. Hence the import inside of the type.
 */
export type WireSchema<TValue> = import('zod').ZodType<TValue>;
