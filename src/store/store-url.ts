/** Owns reading where a store is. */
import { describeValue } from '../errors/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';

/** Where a store is, unless told otherwise: within the working directory. */
const DEFAULT_URL = '.truecast/truecast.sqlite';

/** A database, found from its address. */
export type StorePlace =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string; readonly shown: string };

/**
 * Reads a store's address.
 *
 * @throws UsageError
 */
export function parseStoreUrl(url: string = DEFAULT_URL): StorePlace {
  if (/^postgres(?:ql)?:\/\//u.test(url)) return { dialect: 'postgres', url, shown: showPostgres(url) };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : url;
  // One letter and a colon is a drive.
  const isPath = path !== '' && !path.includes('\0') && !/^[a-z][a-z\d+.-]+:/iu.test(path);
  if (isPath || path === ':memory:') return { dialect: 'sqlite', path };
  throw new UsageError(
    `Expected the database's \`url\` to be a file's path, \`sqlite:PATH\`, \`:memory:\` or \`postgres://…\`, got ${describeValue(/:\/\//u.test(url) ? `${url.split('://')[0]}://…` : url)}. Pass one of these.`,
  );
}

/** Shows a server's address without the password. */
function showPostgres(url: string): string {
  if (!URL.canParse(url)) {
    throw new UsageError(
      "Expected the database's `url` to be like `postgres://user:password@host:5432/name`, got one that is no URL. Encode special characters of the password with percent signs.",
    );
  }
  const { username, host, pathname } = new URL(url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
