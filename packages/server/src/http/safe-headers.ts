/** Headers of every response: no caches, no frames, no guesses of the content type. */

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** Adds the headers. A response keeps its own `cache-control`. */
export function setSafeHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  // Responses to a token must not enter shared caches.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}
