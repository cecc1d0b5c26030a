/**
 * Unreachable services: the error of a request that no model service received, or whose connection
 * ended before a response. Named by its cause, with the origin and the code of the system.
 */
import { ModelError } from '@truecast/core/internal/errors/model-error';

/** The cause of a connection that did not work. */
interface Failure {
  /** Code of the system or of the HTTP client, or its message where it has no code. */
  readonly code: string;
  readonly cause: Cause;
}

type Cause = 'no-server' | 'no-host' | 'no-answer' | 'tls' | 'address' | 'not-http' | 'closed';

const CAUSES: Readonly<Record<string, Cause>> = {
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
};
/** Codes of OpenSSL and of Node for certificates. */
const TLS =
  /^(?:ERR_(?:SSL|TLS)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/u;
/** Causes that can pass: a server starts again, a name server answers again. */
const PASSING: ReadonlySet<Cause> = new Set(['no-server', 'no-answer', 'closed']);
const PASSING_CODE = 'EAI_AGAIN';
/** Deeper chains of causes are not read. */
const MAX_DEPTH = 8;

/**
 * Returns the error of a request that got no response, or undefined if it got one or failed for
 * another reason.
 */
export function unreachable(error: unknown): ModelError | undefined {
  const failure = failureIn(error);
  if (failure === undefined) return undefined;
  const { code, cause } = failure;
  return new ModelError(SENTENCES[cause](originIn(error) ?? "the model's address", code), {
    code: cause === 'closed' ? 'stream' : 'unreachable',
    cause: error,
  });
}

/** Returns true if another request, a moment later, can reach the service. */
export function canComeBack(error: ModelError): boolean {
  const failure = failureIn(error.cause);
  return failure !== undefined && (PASSING.has(failure.cause) || failure.code === PASSING_CODE);
}

const SENTENCES: Readonly<Record<Cause, (origin: string, code: string) => string>> = {
  'no-server': (origin, code) =>
    `No server answers at ${origin} (${code}). Start it, or correct \`baseURL\`.`,
  'no-host': (origin, code) =>
    `The host of ${origin} cannot be found (${code}). Correct \`baseURL\`, or check the network.`,
  'no-answer': (origin, code) =>
    `The host of ${origin} does not answer (${code}). Check that it runs, the network and the firewall, or correct \`baseURL\`.`,
  tls: (origin, code) =>
    `No secure connection to ${origin} is possible (${code}). Check the certificate, or \`https\` and \`http\` in \`baseURL\`.`,
  address: (origin, code) =>
    `No request can be sent to ${origin} (${code}). Correct \`baseURL\`: it starts with \`http://\` or \`https://\`.`,
  'not-http': (origin, code) =>
    `The server at ${origin} does not speak HTTP (${code}). Correct the port in \`baseURL\`, or write \`https\`.`,
  closed: (origin, code) =>
    `The server at ${origin} closed the connection before it answered (${code}). Try again; if it happens again, read the log of the server.`,
};

function failureIn(error: unknown): Failure | undefined {
  for (const each of causesOf(error)) {
    // A response that began has a status, and its end is another failure.
    if ('statusCode' in each && each.statusCode !== undefined) return undefined;
    const failure = failureOf(each);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(error: Error): Failure | undefined {
  if (error.name === 'HTTPParserError') return { code: error.name, cause: 'not-http' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  const cause = TLS.test(code) ? 'tls' : CAUSES[code];
  return cause === undefined ? undefined : { code, cause };
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < MAX_DEPTH; each = each.cause)
    chain.push(each);
  return chain;
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
