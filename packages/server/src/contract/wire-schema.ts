/** Public types of the contract's Zod schemas. Keeps `zod` out of the published types. Pure. */

/**
 * Schema of a contract value.
 *
 * The indirection separates the published types from the schema library. A declaration bundle keeps
 * every import statement of a file, used or not, so the import is inside the type.
 */
export type WireSchema<TValue> = import('zod').ZodType<TValue>;
