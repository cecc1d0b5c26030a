/** Trace ids of requests: the `traceparent` header of W3C Trace Context. */
import { randomBytes } from 'node:crypto';

const HEADER = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/u;

/** A position in a trace. */
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
