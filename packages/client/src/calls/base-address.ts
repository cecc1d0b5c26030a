/** Address of the server: a URL, or a path that a page resolves when it calls. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** Returns true for a path such as `/ai`, and false for `//host`. */
export function isPath(baseURL: unknown): boolean {
  return typeof baseURL === 'string' && /^\/(?![/\\])/u.test(baseURL);
}

/**
 * Returns the URL that the paths of the server follow. A path is resolved at each call: the same module is loaded
 * where a framework renders its pages, and no page has an address there.
 *
 * @throws UsageError if `baseURL` is a path, and the program is no page
 */
export function baseAddress(baseURL: string): string {
  // The path `/` has lost its slash.
  if (baseURL !== '' && !isPath(baseURL)) return baseURL;
  const { origin = 'null' } =
    (globalThis as { readonly location?: { readonly origin: string } }).location ?? {};
  if (origin !== 'null') return `${origin}${baseURL}`;
  throw new UsageError(
    `\`baseURL\` is the path \`${baseURL || '/'}\`, and only a page can resolve it. Outside of a page, pass the whole URL of the server.`,
  );
}
