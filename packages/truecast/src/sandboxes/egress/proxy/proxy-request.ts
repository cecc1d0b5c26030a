/** Filter for a guest's model requests: allowed targets and forwarded headers. Pure. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { ModelAccess } from '../../../ports/model-access.ts';
import { findModelEndpoint, type ApiEndpoint } from '../../../ports/model-endpoints.ts';

/** A request as received from the sandbox. */
export interface GuestRequest {
  readonly method: string;
  readonly target: string;
  /** Alternating names and values, unchanged. */
  readonly rawHeaders: readonly string[];
}

/** A request to the model, or the reason for a refusal. */
export type UpstreamRequest =
  | {
      readonly type: 'forward';
      readonly url: URL;
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly endpoint: ApiEndpoint;
    }
  | {
      readonly type: 'refuse';
      readonly statusCode: number;
      readonly message: string;
      /** Method and path, if the caller should get a warning. */
      readonly name?: string;
    };

/** Sufficient for every model API. TRACE would echo the key. */
const METHODS = new Set(['GET', 'HEAD', 'POST']);
const MAX_NAME_CHARS = 120;
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
/** Would change the checked method or path, or return a part of an answer that the mask cannot match. */
const OVERRIDES = [
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'range',
  'if-range',
];
const CREDENTIAL_PARAMETERS = ['key', 'api_key', 'access_token'];

/** Checks one request. Only endpoints of the model's API below its base URL are allowed. */
export function upstreamRequest(
  { method, target, rawHeaders }: GuestRequest,
  access: ModelAccess,
): UpstreamRequest {
  if (!METHODS.has(method)) return refuse(405, `The method ${method} is not supported.`);
  if (!target.startsWith('/')) {
    return refuse(403, 'Only the model can be reached, with a path such as /v1/messages.');
  }
  const url = joinUrl(access.upstreamUrl, target);
  if (url === undefined) return refuse(403, "The path leaves the model's base URL.");
  const endpoint = findModelEndpoint({ method, target }, access.wires);
  if (endpoint === undefined) {
    const name = cut(`${method} ${target.split('?', 1)[0] ?? ''}`, MAX_NAME_CHARS);
    const message = `\`${name}\` is not an endpoint of the model's API, so the request is not sent with your key.`;
    return { ...refuse(403, message), name };
  }
  return { type: 'forward', url, headers: upstreamHeaders(rawHeaders, access.headers), endpoint };
}

/** Returns `rawHeaders` without hop-by-hop headers. */
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
  const headers = endToEndHeaders(rawHeaders, [...CREDENTIALS, ...OVERRIDES]);
  // The answer must not be compressed, because its usage is read in transit.
  headers['accept-encoding'] = ['identity'];
  for (const [name, value] of Object.entries(own)) headers[name.toLowerCase()] = [value];
  return headers;
}

function joinUrl(base: string, target: string): URL | undefined {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, '');
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  // Checks the raw target, because the server can decode escapes that a URL parser keeps.
  if (/(^|\/|\\|%2f|%5c)(\.|%2e){1,2}(\/|\\|%2f|%5c|$)/i.test(path) || path.includes('\\')) return undefined;
  url.pathname = `${prefix}${path}`;
  if (queryAt !== -1) url.search = target.slice(queryAt);
  for (const name of CREDENTIAL_PARAMETERS) if (url.searchParams.has(name)) url.searchParams.delete(name);
  url.hash = '';
  return url;
}

function refuse(statusCode: number, message: string): Extract<UpstreamRequest, { readonly type: 'refuse' }> {
  return { type: 'refuse', statusCode, message };
}
