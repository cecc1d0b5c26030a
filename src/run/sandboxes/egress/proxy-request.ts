/** Owns what of a guest's request reaches the model, and with which headers. Pure. */
import type { ModelAccess } from '../../agents/model-access.ts';

/** A request as it came from inside. */
export interface GuestRequest {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
}

/** A request to the model, or why there is none. */
export type UpstreamRequest =
  | {
      readonly type: 'forward';
      readonly url: URL;
      readonly headers: Readonly<Record<string, readonly string[]>>;
    }
  | { readonly type: 'refuse'; readonly statusCode: number; readonly message: string };

/** Enough for every model API; TRACE would echo the key. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
];
const CREDENTIALS = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
];
const CREDENTIAL_PARAMETERS = ['key', 'api_key', 'access_token'];

/** Decides about one request. Only paths under the model's base URL are reached. */
export function upstreamRequest(
  { method, target, rawHeaders }: GuestRequest,
  access: ModelAccess,
): UpstreamRequest {
  if (!METHODS.has(method)) return refuse(405, `The method ${method} is not carried.`);
  if (!target.startsWith('/')) return refuse(403, 'Only the model can be reached, by its path.');
  const url = joinUrl(access.upstreamUrl, target);
  if (url === undefined) return refuse(403, "The path leaves the model's base URL.");
  return { type: 'forward', url, headers: upstreamHeaders(rawHeaders, access.headers) };
}

/** Returns `rawHeaders` without what concerns one connection only. */
export function endToEndHeaders(
  rawHeaders: readonly string[],
  removed: readonly string[] = [],
): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    (headers[name] ??= []).push(rawHeaders[index + 1] ?? '');
  }
  const listed = (headers['connection'] ?? []).flatMap((value) =>
    value.split(',').map((name) => name.trim().toLowerCase()),
  );
  for (const name of [...HOP_BY_HOP, ...listed, ...removed]) delete headers[name];
  return headers;
}

function upstreamHeaders(
  rawHeaders: readonly string[],
  own: ModelAccess['headers'],
): Record<string, string[]> {
  const headers = endToEndHeaders(rawHeaders, CREDENTIALS);
  // What an answer used is read as it passes, so it must not be compressed.
  headers['accept-encoding'] = ['identity'];
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = [value];
  return headers;
}

function joinUrl(base: string, target: string): URL | undefined {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, '');
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  // Checked as written, for the server may decode what a URL parser leaves.
  if (/(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i.test(path) || path.includes('\\')) return undefined;
  url.pathname = `${prefix}${path}`;
  if (queryAt !== -1) url.search = target.slice(queryAt);
  for (const name of CREDENTIAL_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.delete(name);
  url.hash = '';
  return url;
}

function refuse(statusCode: number, message: string): UpstreamRequest {
  return { type: 'refuse', statusCode, message };
}
