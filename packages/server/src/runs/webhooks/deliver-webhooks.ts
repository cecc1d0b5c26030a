/** Sender of webhooks: takes jobs of deliveries, signs, sends, and stores what came of each try. */
import type { JobQueue } from '@truecast/store/internal/queue/job-queue';
import { dueDelivery, overdueDeliveries, readSecrets, storeTry, type WebhookContext } from './deliveries.ts';
import { signWebhook } from './sign-webhook.ts';
import type { WebhookAnswer } from './webhook-tries.ts';

/** Queue of tries. */
export const WEBHOOK_QUEUE = 'webhooks';

/** Sends one try within a bounded time. Never rejects. */
export type PostWebhook = (
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
) => Promise<WebhookAnswer>;

export interface WebhookPorts {
  readonly context: WebhookContext;
  readonly queue: Pick<JobQueue, 'enqueue' | 'work' | 'schedule'>;
  readonly post: PostWebhook;
}

/** Tries at once in this process. Each one ends within the time limit of `post`. */
const CONCURRENCY = 16;
const SWEEP_MS = 60_000;

/** Starts to send. Returns the function that stops the search for lost jobs. */
export async function startWebhooks(ports: WebhookPorts): Promise<() => Promise<void>> {
  const { context, queue } = ports;
  await queue.work(WEBHOOK_QUEUE, { concurrency: CONCURRENCY }, ({ payload }) => tryDelivery(ports, payload));
  return queue.schedule(SWEEP_MS, async () => {
    for (const id of await overdueDeliveries(context)) await enqueueTry(queue, id);
  });
}

/** Enqueues a try, in a transaction or at once. */
export function enqueueTry(
  queue: Pick<JobQueue, 'enqueue'>,
  id: string,
  { tx, notBefore }: { readonly tx?: Parameters<JobQueue['enqueue']>[1]; readonly notBefore?: number } = {},
): Promise<void> {
  const startAfter = notBefore === undefined ? {} : { startAfter: new Date(notBefore) };
  return queue.enqueue({ queue: WEBHOOK_QUEUE, key: id, payload: id, ...startAfter }, tx);
}

/** A job can come twice. The row says if the delivery is due. */
async function tryDelivery({ context, post }: WebhookPorts, id: string): Promise<void> {
  const delivery = await dueDelivery(context, id);
  if (delivery === undefined) return;
  const { secret, previous } = await readSecrets(context, delivery.owner);
  const secrets = previous === undefined ? [secret] : [secret, previous.secret];
  const { url, body } = delivery;
  const signed = signWebhook({ id, timestamp: Math.floor(context.now() / 1_000), body }, secrets);
  await storeTry(context, delivery, await post(url, { headers: signed, body }));
}
