/** Requests of webhooks: to checked addresses alone, within bounds of time and size, without redirects. */
import type { LookupFunction } from 'node:net';
import { parseAllowRules } from 'truecast/internal/ports/allow-rules';
import {
  findReachable,
  resolveOnHost,
  type ResolvedAddress,
  type ResolveName,
} from 'truecast/internal/sandboxes/egress/proxy/permit-target';
import type { PostWebhook } from '../../runs/webhooks/deliver-webhooks.ts';
import type { WebhookAnswer } from '../../runs/webhooks/webhook-tries.ts';

const TIMEOUT_MS = 10_000;

interface PostOptions {
  /** For the name, the connection and the answer together. @default 10_000 */
  readonly timeoutMs?: number;
  /** @default the resolver of this machine */
  readonly resolve?: ResolveName;
}

/** Returns the sender. Addresses of this machine and its networks are refused, unless `allow` lists them. */
export function webhookPoster(
  allow: readonly string[],
  { timeoutMs = TIMEOUT_MS, resolve = resolveOnHost }: PostOptions = {},
): PostWebhook {
  const rules = allow.length === 0 ? [] : parseAllowRules(allow);
  return async (url, message) => {
    const target = new URL(url);
    const signal = AbortSignal.timeout(timeoutMs);
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const host = target.hostname.replace(/^\[|\]$/gu, '');
    const late = new Promise<'late'>((settle) => {
      signal.addEventListener('abort', () => settle('late'), { once: true });
    });
    const found = await Promise.race([findReachable(rules, { host, port }, resolve), late]);
    if (found === 'late') return { error: `The name \`${host}\` was not resolved in time.` };
    if (found.type === 'refuse') return { error: found.message };
    return send(target, { ...message, addresses: found.addresses, signal });
  };
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly addresses: readonly ResolvedAddress[];
  readonly signal: AbortSignal;
}

/** Connects to the addresses that were checked: a second lookup could return others. */
function send(url: URL, { headers, body, addresses, signal }: Sent): Promise<WebhookAnswer> {
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
  const { promise, resolve } = Promise.withResolvers<WebhookAnswer>();
  const module = url.protocol === 'https:' ? 'node:https' : 'node:http';
  const request = process.getBuiltinModule(module).request(url, {
    method: 'POST',
    agent: false,
    lookup,
    signal,
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'truecast' },
  });
  request.once('response', (response) => {
    // The status is the whole answer. A body is not read.
    resolve({ status: response.statusCode ?? 0 });
    response.destroy();
  });
  request.on('error', (error) => {
    resolve({
      error: signal.aborted ? 'The receiver did not answer in time.' : `The request failed: ${error.message}`,
    });
  });
  request.end(body);
  return promise;
}
