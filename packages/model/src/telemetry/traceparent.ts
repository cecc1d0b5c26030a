/** Trace context of requests: the `traceparent` and `tracestate` headers of W3C Trace Context. */
import { randomBytes } from 'node:crypto';

const HEADER = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/u;

const MAX_STATE_CHARS = 512;
const MAX_STATE_MEMBERS = 32;
/** Longer members are removed first from a state that is too long. */
const LONG_MEMBER_CHARS = 128;
/** A key and a value of printable characters. */
const STATE_MEMBER =
  /^([a-z0-9][a-z0-9_*/@-]{0,255})=[\u0020-\u002B\u002D-\u003C\u003E-\u007E]{1,256}(?<! )$/u;

/** Headers of a span, for its children on any machine. */
export interface TraceHeaders {
  readonly traceparent?: string;
  /** Values of tracing systems, which belong to `traceparent`. */
  readonly tracestate?: string;
}

/** Reads the headers of a request. An invalid header counts as absent. */
export function readTraceHeaders(headers: Headers): TraceHeaders {
  const traceparent = headers.get('traceparent');
  if (traceparent === null || parseTraceparent(traceparent) === undefined) return {};
  const tracestate = readTracestate(headers.get('tracestate'));
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

/** Picks the headers from an object, without undefined ones. */
export function traceOf({
  traceparent,
  tracestate,
}: {
  readonly traceparent?: string | null | undefined;
  readonly tracestate?: string | null | undefined;
}): TraceHeaders {
  if (traceparent === undefined || traceparent === null) return {};
  return { traceparent, ...(typeof tracestate === 'string' && { tracestate }) };
}

/**
 * Returns the variables for a process. The state never comes from the server's own process, which
 * belongs to another trace.
 */
export function traceEnvironment({ traceparent, tracestate = '' }: TraceHeaders): Record<string, string> {
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent, TRACESTATE: tracestate };
}

/** Validates and shortens a state. Undefined if it is absent, empty or invalid. */
function readTracestate(header: string | null): string | undefined {
  const members = (header ?? '').split(',').map((member) => member.trim());
  const filled = members.filter((member) => member !== '');
  const keys = filled.map((member) => STATE_MEMBER.exec(member)?.[1]);
  if (filled.length > MAX_STATE_MEMBERS || keys.includes(undefined)) return undefined;
  if (new Set(keys).size < keys.length) return undefined;
  let kept = filled;
  if (kept.join().length > MAX_STATE_CHARS) kept = kept.filter(({ length }) => length <= LONG_MEMBER_CHARS);
  while (kept.join().length > MAX_STATE_CHARS) kept = kept.slice(0, -1);
  return kept.length === 0 ? undefined : kept.join();
}

export interface TracePlace {
  readonly traceId: string;
  readonly spanId: string;
  /** 1 if the trace is recorded. */
  readonly traceFlags: number;
}

/** Parses a header. Undefined if it is absent or invalid. */
export function parseTraceparent(header: string | null | undefined): TracePlace | undefined {
  const [, traceId = '', spanId = '', flags = ''] = HEADER.exec(header ?? '') ?? [];
  return traceId === '' ? undefined : { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

/** Formats a header of version 00. */
export function formatTraceparent({ traceId, spanId, traceFlags }: TracePlace): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

/** Starts a trace that is not recorded: its id correlates log lines. */
export function newTraceparent(): string {
  const traceId = randomBytes(16).toString('hex');
  return formatTraceparent({ traceId, spanId: randomBytes(8).toString('hex'), traceFlags: 0 });
}
