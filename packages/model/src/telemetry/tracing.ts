/**
 * Spans over `@opentelemetry/api`, which is an optional peer dependency. Without it, or without an
 * SDK in the program, only the trace id is passed on.
 */
import type * as OpenTelemetry from '@opentelemetry/api';
import {
  formatTraceparent,
  newTraceparent,
  parseTraceparent,
  traceOf,
  type TraceHeaders,
} from './traceparent.ts';
import type { Usage } from '@truecast/core/internal/kit/usage';

/** Values of a span. Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface SpanStart {
  readonly name: string;
  readonly kind: 'client' | 'internal' | 'server';
  /** Headers of the parent. @default the active span, else a new trace */
  readonly parent?: TraceHeaders | undefined;
  /** True if the active span takes precedence over `parent`. @default only for a server's span */
  readonly prefersActive?: boolean;
  readonly attributes: SpanAttributes;
}

export type SpanHeaders = TraceHeaders & { readonly traceparent: string };

export interface OpenSpan extends SpanHeaders {
  /** False if nothing keeps the span's values: without an SDK, and in a trace that is not sampled. */
  readonly isRecorded: boolean;
  /** Adds values. `error.type` marks the span as failed. */
  set(attributes: SpanAttributes): void;
}

/** Runs `work` in a span, which ends with it. */
export type Trace = <T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>) => Promise<T>;

/** Creates no spans. Work without a parent gets a trace id. */
export const passTrace: Trace = (start, work) =>
  work({ ...headersOf(start), isRecorded: false, set: () => undefined });

/** Creates no spans and no ids, for work that passes no headers on. */
const skipTrace: Trace = (_start, work) => work(NO_SPAN);

const NO_SPAN: OpenSpan = { traceparent: '', isRecorded: false, set: () => undefined };

/** Returns the parent's headers, which continue the trace without a span. */
function headersOf({ parent = {} }: SpanStart): SpanHeaders {
  return { traceparent: newTraceparent(), ...traceOf(parent) };
}

const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.37.0';

/** The installed API, or undefined if it is missing. */
let loaded: Promise<typeof OpenTelemetry | undefined> | undefined;

/** Returns a tracer of the installed API. Its scope is the package that creates the spans. */
export async function openTracing(scope: string): Promise<Trace> {
  loaded ??= import('@opentelemetry/api').catch(() => undefined);
  const api = await loaded;
  return api === undefined ? passTrace : tracingOf(api, scope);
}

/** As `openTracing()`, for work that passes no headers on. Without an SDK it costs nothing. */
export async function openSpans(scope: string): Promise<Trace> {
  loaded ??= import('@opentelemetry/api').catch(() => undefined);
  const api = await loaded;
  return api === undefined || !hasSdk(api) ? skipTrace : tracingOf(api, scope);
}

/** The API's own provider has no delegate until a program registers one. */
function hasSdk({ trace, ProxyTracerProvider }: typeof OpenTelemetry): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('') !== undefined;
}

function tracingOf(api: typeof OpenTelemetry, scope: string): Trace {
  const { context, trace, SpanKind } = api;
  const tracer = trace.getTracerProvider().getTracer(scope, undefined, { schemaUrl: SCHEMA_URL });
  const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL, server: SpanKind.SERVER };
  return async (start, work) => {
    const { name, kind, attributes } = start;
    const parent = parentContext(api, start);
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes: defined(attributes) }, parent);
    const place = span.spanContext();
    const headers = trace.isSpanContextValid(place) ? formatHeaders(place) : headersOf(start);
    const set = (more: SpanAttributes): void => setAttributes(api, span, more);
    try {
      return await context.with(trace.setSpan(parent, span), () =>
        work({ ...headers, isRecorded: span.isRecording(), set }),
      );
    } catch (error) {
      set({ 'error.type': error instanceof Error ? error.name : '_OTHER' });
      throw error;
    } finally {
      span.end();
    }
  };
}

function formatHeaders(place: OpenTelemetry.SpanContext): SpanHeaders {
  const tracestate = place.traceState?.serialize();
  return { traceparent: formatTraceparent(place), ...(tracestate !== undefined && { tracestate }) };
}

/** The span of the program's own HTTP instrumentation takes precedence over the header. */
function parentContext(
  { context, createTraceState, trace, ROOT_CONTEXT }: typeof OpenTelemetry,
  { kind, parent = {}, prefersActive = kind === 'server' }: SpanStart,
): OpenTelemetry.Context {
  const active = context.active();
  const { traceparent, tracestate } = parent;
  const place = parseTraceparent(traceparent);
  if (place === undefined || (prefersActive && trace.getSpan(active) !== undefined)) return active;
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) };
  return trace.setSpanContext(ROOT_CONTEXT, { ...place, ...state, isRemote: true });
}

function setAttributes(
  { SpanStatusCode }: typeof OpenTelemetry,
  span: OpenTelemetry.Span,
  attributes: SpanAttributes,
): void {
  span.setAttributes(defined(attributes));
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
}

function defined(attributes: SpanAttributes): OpenTelemetry.Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}

/** Returns the counts. Empty if the usage is unknown. */
export function usageAttributes(usage: Usage | undefined): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheCreationInputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadInputTokens,
  };
}
