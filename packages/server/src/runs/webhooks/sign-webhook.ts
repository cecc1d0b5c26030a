/** Signatures of webhooks as Standard Webhooks 1.0, and the secrets of owners. */
import { createHmac } from 'node:crypto';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

const PREFIX = 'whsec_';

/** The environment variable of the server's key, from which the secrets of all owners are derived. */
export const WEBHOOK_KEY = 'TRUECAST_WEBHOOK_KEY';

const MIN_KEY_CHARS = 32;

/** Reads the key. @throws UsageError for a short one, which could be guessed from one signature */
export function webhookKeyIn(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const key = environment[WEBHOOK_KEY] ?? '';
  if (key === '') return undefined;
  if (key.length >= MIN_KEY_CHARS) return key;
  throw new UsageError(
    `Expected \`${WEBHOOK_KEY}\` to have at least ${MIN_KEY_CHARS} characters, got ${key.length}. Set it to the output of \`openssl rand -hex 32\`.`,
  );
}

/** Derives a secret of an owner: base64 of 32 bytes. The counter rises with each rotation. */
export function webhookSecret(
  key: string,
  { owner, counter }: { readonly owner: string; readonly counter: number },
): string {
  const bytes = createHmac('sha256', key)
    .update(JSON.stringify(['webhook', counter, owner]))
    .digest('base64');
  return `${PREFIX}${bytes}`;
}

export interface SignedMessage {
  /** The same for each try. */
  readonly id: string;
  /** Seconds since 1970, of this try. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers. Each secret signs, so that a receiver can replace its secret during a rotation. */
export function signWebhook(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
