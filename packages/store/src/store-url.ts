/** Parser for store URLs. */
import { assertKind } from '@truecast/core/internal/errors/assert-kind';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** A parsed store URL. */
export type StorePlace =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string; readonly shown: string };

/**
 * Parses a store URL.
 *
 * @throws UsageError
 */
export function parseStoreUrl(url: string): StorePlace {
  assertKind(url, 'a string', 'url', "Pass a file's path, `:memory:` or `postgres://…`.");
  if (/^postgres(?:ql)?:\/\//u.test(url)) return { dialect: 'postgres', url, shown: showPostgres(url) };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : url;
  // A single letter and a colon is a Windows drive.
  const isPath = path !== '' && !path.includes('\0') && !/^[a-z][a-z\d+.-]+:/iu.test(path);
  if (isPath || path === ':memory:') return { dialect: 'sqlite', path };
  throw new UsageError(
    `Expected the database's \`url\` to be a file's path, \`sqlite:PATH\`, \`:memory:\` or \`postgres://…\`, got ${describeValue(/:\/\//u.test(url) ? `${url.split('://')[0]}://…` : url)}. Pass one of these.`,
  );
}

/** Renders a server URL without its password. */
function showPostgres(url: string): string {
  if (!URL.canParse(url)) {
    throw new UsageError(
      "Expected the database's `url` to be like `postgres://user:password@host:5432/name`, got one that is not a URL. Encode special characters of the password with percent signs.",
    );
  }
  const { username, host, pathname } = new URL(url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
