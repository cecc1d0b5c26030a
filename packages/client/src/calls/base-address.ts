/** Address of the server: a URL, or a path that a page resolves when it calls. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** @throws UsageError if `baseURL` is neither a URL of `http` or `https` nor a path */
export function assertBaseURL(baseURL: unknown): void {
  const isURL = typeof baseURL === 'string' && URL.canParse(baseURL);
  if (isPath(baseURL) || (isURL && /^https?:$/u.test(new URL(baseURL).protocol))) return;
  throw new UsageError(
    `Expected \`baseURL\` to be the URL of a server, got ${describeValue(baseURL)}. Pass one, such as http://127.0.0.1:4747, or a path of the page's own server, such as /ai.`,
  );
}

/** Returns true for a path such as `/ai`, and false for `//host`. */
function isPath(baseURL: unknown): boolean {
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
