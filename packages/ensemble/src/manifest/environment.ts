/** Environment variables that manifests can name. Pure. */

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
