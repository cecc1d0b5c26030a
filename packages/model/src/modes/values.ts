/** Codes of answers whose value goes back to the model with its mistakes. */
export const OF_VALUES: ReadonlySet<string> = new Set([
  'schema-mismatch',
  'ambiguous',
  'tag-not-found',
  'secret-in-output',
  'check-failed',
]);
