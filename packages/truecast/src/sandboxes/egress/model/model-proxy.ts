/**
 * Model proxy on the host for `egress: "model"`. It listens on a socket file, forwards only
 * requests of the model's API, and adds the key.
 *
 * agent → 127.0.0.1 → forwarder (inside) → socket file → this proxy (host) → model
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { ModelAccess } from '../../../ports/model-access.ts';
import { connectionFailure, connectionSentence } from '@truecast/model/internal/failure/unreachable';
import { proxiedRequest } from '@truecast/host/internal/proxy/proxied-request';
import { createAnswerAccount, type AnswerAccount } from './answer-account.ts';
import { createMaskStream, maskText } from './byte-mask.ts';
import { bodyDecoders } from './decode-body.ts';
import type { EgressTeller } from '../../../ports/egress-observer.ts';
import { forwardRequest, sendProblem, type CarriedAnswer } from '../proxy/forward-request.ts';
import { endToEndHeaders, upstreamRequest, type UpstreamRequest } from '../proxy/proxy-request.ts';
import { createHeldBodies, type HeldBodies } from './read-body.ts';
import { estimateCost } from './request-cost.ts';
import { secretForms, secretsOf } from './secret-forms.ts';
import { startSocketServer } from '../proxy/socket-server.ts';

/** Log entry of a completed request. Contains paths, sizes and counts, never contents. */
export interface ModelRequest {
  readonly method: string;
  /** Path and query of the agent's request. */
  readonly path: string;
  /** 502 if the model could not be reached. 403, 405 or 413 if the request was rejected. */
  readonly statusCode: number;
  readonly responseBytes: number;
  readonly elapsedMs: number;
  /** Usage reported in the answer, if any. */
  readonly usage?: Usage;
  /** Model named in the answer. */
  readonly model?: string;
}

export interface ModelProxy {
  /** A socket file in a folder with access for this user only. */
  readonly socketPath: string;
  /** Aborts open requests. */
  close(): Promise<void>;
}

export interface ModelProxyOptions {
  readonly access: ModelAccess;
  readonly teller: EgressTeller;
  readonly onRequest?: (request: ModelRequest) => void;
}

interface ProxyContext extends ModelProxyOptions {
  /** Every encoding of the key. Answers to the guest must not contain any of them. */
  readonly forms: readonly Buffer[];
  readonly bodies: HeldBodies;
}

/** A request in progress. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: AnswerAccount;
}

type Forwarded = Extract<UpstreamRequest, { readonly type: 'forward' }>;

const NO_AGENT = "No agent is running. The model is reachable only while an agent's command runs.";

/** Starts a proxy. The caller closes it. */
export async function startModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const forms = secretsOf(options.access).flatMap(secretForms);
  const context = { ...options, forms, bodies: createHeldBodies() };
  const { server, socketPath, close } = await startSocketServer('model', (request, response) => {
    void answer(request, response, context).then((ended) => options.onRequest?.(ended));
  });
  server.on('connect', refuseSocket).on('upgrade', refuseSocket);
  return { socketPath, close };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  context: ProxyContext,
): Promise<ModelRequest> {
  const startedAtMs = performance.now();
  const { method = 'GET', url: target = '/', rawHeaders } = request;
  const account = createAnswerAccount();
  const upstream = upstreamRequest({ method, target, rawHeaders }, context.access);
  if (upstream.type === 'refuse') {
    if (upstream.name !== undefined) context.teller.refused(upstream.name, upstream.message);
    sendProblem(response, upstream.statusCode, upstream.message);
    request.resume();
  } else if (upstream.endpoint.isBilled && !context.teller.hasAgent()) {
    // The request comes from a daemon, or arrives after the end of its agent. No run would be
    // charged.
    sendProblem(response, 403, NO_AGENT);
    request.resume();
  } else if (upstream.endpoint.isBilled && context.teller.hasBudget()) {
    await carryWithinBudget({ request, response, account }, upstream, context);
  } else {
    await carry({ request, response, account }, upstream, context);
  }
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  const { statusCode } = response;
  return {
    method,
    path: target,
    statusCode,
    responseBytes: account.responseBytes,
    elapsedMs,
    ...account.told(),
  };
}

/** Reads the whole request first, to estimate its maximum usage. */
async function carryWithinBudget(
  exchange: Exchange,
  upstream: Forwarded,
  context: ProxyContext,
): Promise<void> {
  const { request, response, account } = exchange;
  const body = await context.bodies.read(request);
  if (body === undefined) {
    sendProblem(response, 413, 'The request is too large to wait until the budget allows it.');
    return;
  }
  const cancelled = new AbortController();
  response.once('close', () => cancelled.abort());
  try {
    const spend = { most: estimateCost(body.bytes, upstream.endpoint), used: () => account.used() };
    const reserved = await context.teller.reserveModel(spend, cancelled.signal);
    if (reserved.type === 'refuse') {
      sendProblem(response, 403, reserved.message);
      return;
    }
    try {
      if (!response.destroyed) await carry(exchange, upstream, context, body.bytes);
    } finally {
      account.end();
      reserved.settle();
    }
  } finally {
    body.free();
  }
}

async function carry(
  { request, response, account }: Exchange,
  { url, headers }: Forwarded,
  { forms, teller }: ProxyContext,
  body?: Buffer,
): Promise<void> {
  const target = {
    isHttps: url.protocol === 'https:',
    options: urlToHttpOptions(url),
    proxied: proxiedRequest(url),
    headers,
    label: `The model at ${url.host}`,
    onConnected: () => account.onConnected(),
    onAnswer: (error: unknown) => teller.modelAnswered(failureAt(url, error)),
    ...(body !== undefined && { body }),
  };
  await forwardRequest(request, response, target, (answered) => carryMasked(answered, account, forms));
  const { usage, model } = account.told();
  if (usage !== undefined) teller.modelUsed(usage, model);
}

/** Names the cause of a failed connection, which the agent's own error rarely contains. */
function failureAt({ origin }: URL, error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const failure = connectionFailure(error);
  const address = "the base URL of the agent's model";
  return failure === undefined ? undefined : connectionSentence(failure, origin, address);
}

/** Masks the key. A service that echoes request headers would otherwise leak it to the guest. */
function carryMasked(
  answered: IncomingMessage,
  account: AnswerAccount,
  forms: readonly Buffer[],
): CarriedAnswer {
  const decoders = bodyDecoders(answered);
  const removed = decoders.length === 0 ? [] : ['content-encoding', 'content-length'];
  const headers = Object.entries(endToEndHeaders(answered.rawHeaders, removed)).map(
    ([name, values]) => [name, values.map((value) => maskText(value, forms))] as const,
  );
  const { statusCode = 0 } = answered;
  return {
    headers: Object.fromEntries(headers),
    through: [
      ...decoders,
      ...(forms.length === 0 ? [] : [createMaskStream(forms)]),
      account.begin({ statusCode, contentType: answered.headers['content-type'] }),
    ],
  };
}

function refuseSocket(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined);
  socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
