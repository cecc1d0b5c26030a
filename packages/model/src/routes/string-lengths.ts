/** Rejected lengths of strings: OpenAI's strict mode has none, and can stand behind any address. Pure. */

/** Returns true if a service rejects a schema for its lengths. */
export function refusesLengths(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const body = 'responseBody' in error ? String(error.responseBody) : '';
  return /m(?:ax|in)_?length|repetition/iu.test(`${error.message} ${body}`);
}
