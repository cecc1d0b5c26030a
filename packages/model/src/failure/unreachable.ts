/**
 * Unreachable services: the error of a request that no model service received, or whose connection
 * ended before a response. Named by its cause, with the origin and the code of the system.
 */
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { isIP } from 'node:net';

/** Why a request got no response. */
export type ConnectionCause =
  | 'no-server'
  | 'no-host'
  | 'no-answer'
  | 'tls'
  | 'address'
  | 'not-http'
  | 'closed'
  /** A connection ended, and then nothing listened at its address. */
  | 'ended'
  | 'no-proxy'
  | 'proxy';

/** A connection that did not work. */
export interface ConnectionFailure {
  readonly cause: ConnectionCause;
  /** Code of the system or of the HTTP client, or its message where it has no code. */
  readonly code: string;
  /** Address of the proxy that failed. */
  readonly proxy?: string;
}

const CAUSES: Readonly<Record<string, ConnectionCause>> = {
  ECONNREFUSED: 'no-server',
  ENOTFOUND: 'no-host',
  EAI_AGAIN: 'no-host',
  EHOSTUNREACH: 'no-answer',
  ENETUNREACH: 'no-answer',
  EHOSTDOWN: 'no-answer',
  ETIMEDOUT: 'no-answer',
  UND_ERR_CONNECT_TIMEOUT: 'no-answer',
  'bad port': 'address',
  'unknown scheme': 'address',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  ERR_PROXY_TUNNEL: 'proxy',
};
/** Codes of OpenSSL and of Node for certificates. */
const TLS =
  /^(?:ERR_(?:SSL|TLS)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/u;
/** Codes of Node's parser: the answer is not HTTP. */
const NOT_HTTP = /^HPE_/u;
const TUNNEL = /^Proxy response \((\d+)\)/u;
/** Causes that can pass: a server starts again, a name server answers again. */
const PASSING: ReadonlySet<ConnectionCause> = new Set([
  'no-server',
  'no-answer',
  'closed',
  'ended',
  'no-proxy',
]);
const PASSING_CODE = 'EAI_AGAIN';
/** Deeper chains of causes are not read. */
const MAX_DEPTH = 8;

/**
 * Returns the error of a request that got no response, or undefined if it got one or failed for
 * another reason.
 */
export function unreachable(error: unknown): ModelError | undefined {
  const failure = connectionFailure(error);
  return failure === undefined ? undefined : connectionError(failure, error);
}

/** Failures of errors whose cause alone does not show it. */
const known = new WeakMap<ModelError, ConnectionFailure>();

export function connectionError(failure: ConnectionFailure, cause: unknown): ModelError {
  const error = new ModelError(connectionSentence(failure, originIn(cause) ?? "the model's address"), {
    code: failure.cause === 'closed' ? 'stream' : 'unreachable',
    cause,
  });
  known.set(error, failure);
  return error;
}

/** Returns true if another request, a moment later, can reach the service. */
export function canComeBack(error: ModelError): boolean {
  const failure = connectionFailure(error);
  return failure !== undefined && (PASSING.has(failure.cause) || failure.code === PASSING_CODE);
}

/** Returns why a connection failed, or undefined if it did not. */
export function connectionFailure(error: unknown): ConnectionFailure | undefined {
  if (ModelError.isInstance(error)) return known.get(error) ?? connectionFailure(error.cause);
  for (const each of causesOf(error)) {
    // A response that began has a status, and its end is another failure.
    if ('statusCode' in each && each.statusCode !== undefined) return undefined;
    const failure = failureOf(each);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(error: Error): ConnectionFailure | undefined {
  if (error.name === 'HTTPParserError') return { code: error.name, cause: 'not-http' };
  const tunnel = TUNNEL.exec(error.message)?.[1];
  if (tunnel !== undefined) return { code: `status ${tunnel}`, cause: 'proxy' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  const cause = TLS.test(code) ? 'tls' : NOT_HTTP.test(code) ? 'not-http' : CAUSES[code];
  if (cause === undefined) return undefined;
  const proxy = proxyAt(error);
  return proxy === undefined ? { code, cause } : { code, cause: 'no-proxy', proxy };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < MAX_DEPTH; each = causeIn(each)) {
    chain.push(each);
  }
  return chain;
}

/** A host with several addresses fails with one error for each. */
function causeIn(error: Error): unknown {
  return error instanceof AggregateError && error.cause === undefined ? error.errors[0] : error.cause;
}

/** The path and the user of an address can be secret. */
function originIn(error: unknown): string | undefined {
  for (const each of causesOf(error)) {
    if (!('url' in each) || typeof each.url !== 'string' || !URL.canParse(each.url)) continue;
    const { origin, protocol } = new URL(each.url);
    return origin === 'null' ? protocol : origin;
  }
  return undefined;
}

/**
 * Says why a connection failed, and what to do.
 *
 * @param address - the setting that has the address, for the next step
 */
export function connectionSentence(
  { cause, code, proxy }: ConnectionFailure,
  origin: string,
  address: string = '`baseURL`',
): string {
  switch (cause) {
    case 'no-server':
      return `No server answers at ${origin} (${code}). Start it, or correct ${address}.`;
    case 'no-host':
      return `The host of ${origin} cannot be found (${code}). Correct ${address}, or check the network.`;
    case 'no-answer':
      return `The host of ${origin} does not answer (${code}). Check that it runs, the network and the firewall, or correct ${address}.`;
    case 'tls':
      return `No secure connection to ${origin} is possible (${code}). Check the certificate, or \`https\` and \`http\` in ${address}.`;
    case 'address':
      return `No request can be sent to ${origin} (${code}). Correct ${address}: it starts with \`http://\` or \`https://\`.`;
    case 'not-http':
      return `The server at ${origin} does not speak HTTP (${code}). Correct the port in ${address}, or write \`https\`.`;
    case 'closed':
      return `The server at ${origin} closed the connection before it answered (${code}). Try again; if it happens again, read the log of the server.`;
    case 'ended':
      return `The server at ${origin} ended during a request: it closed the connection, and now nothing listens there (${code}). Start it again, and read its log for the cause.`;
    case 'no-proxy':
      return `The proxy at ${proxy ?? 'its address'} does not answer (${code}), so ${origin} cannot be reached. Start it, or correct \`HTTPS_PROXY\` and \`HTTP_PROXY\`.`;
    case 'proxy':
      return `The proxy of this machine refused to connect to ${origin} (${code}). Check its rules and its login in \`HTTPS_PROXY\`, or add the host to \`NO_PROXY\`.`;
    default:
      return cause satisfies never;
  }
}

/** Addresses of proxies, for the protocol of any target. */
const VARIABLES: readonly string[] = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Returns the proxy that a failed connection was for. Undefined if it was for another address. */
function proxyAt(error: Error): string | undefined {
  const proxies = VARIABLES.flatMap((name) => {
    const value = process.env[name];
    const url =
      value === undefined || value === ''
        ? null
        : URL.parse(value.includes('://') ? value : `http://${value}`);
    return url === null ? [] : [url];
  });
  return proxies.find((proxy) => isOf(error, proxy))?.origin;
}

function isOf(error: Error, proxy: URL): boolean {
  const host = proxy.hostname.replaceAll(/^\[|\]$/gu, '');
  const hostname: unknown = Reflect.get(error, 'hostname');
  // A name that was not found has no port.
  if (hostname !== undefined) return hostname === host;
  const address: unknown = Reflect.get(error, 'address');
  if (address === undefined || String(Reflect.get(error, 'port')) !== portOf(proxy)) return false;
  return isIP(host) === 0 || address === host;
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
