/** `truecast runs deliveries`, `redeliver` and `webhook-secret`: what a server sent about runs, and its signature. */
import type { WebhookDeliveryView } from '@truecast/client/internal/wire/webhook';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { connectServer, explained } from '../serve/connect-server.ts';
import { columnsFor, printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import type { ShowFlags } from './show-commands.ts';

export interface SecretFlags extends ShowFlags {
  readonly rotate?: true;
}

const HEAD = ['id', 'status', 'tries', 'answer', 'next try', 'url'];
/** The address, then the next try. */
const DROPPABLE = [5, 4];

export async function listDeliveriesCommand(id: string, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const client = await connectServer(flags);
  const page = await explained(client.runs.get(id).deliveries());
  if (flags.json === true) return printResult(page, terminal);
  if (page.deliveries.length === 0) {
    return tell('Nothing was sent: the run has no webhook, or it has not ended.', terminal);
  }
  const layout = { rightAligned: [2], columns: columnsFor(terminal.stdout), droppable: DROPPABLE };
  return printText(`${renderTable([HEAD, ...page.deliveries.map(toCells)], layout)}\n`, terminal);
}

function toCells({
  id,
  status,
  tries,
  answer_status: answer,
  error,
  next_at: next,
  url,
}: WebhookDeliveryView) {
  return [id, status, String(tries), answer?.toString() ?? error ?? '', next ?? '', url];
}

/** Without an id, the last delivery of the run is sent again. */
export async function redeliverCommand(
  { id, delivery }: { readonly id: string; readonly delivery: string | undefined },
  flags: ShowFlags,
  terminal: Terminal,
): Promise<void> {
  const client = await connectServer(flags);
  const run = client.runs.get(id);
  const last = delivery ?? (await explained(run.deliveries())).deliveries.at(-1)?.id;
  if (last === undefined) {
    throw new UsageError(
      'The run has no delivery. A run has one if it was created with `--webhook`, and has ended.',
    );
  }
  const sent = await explained(run.redeliver(last));
  if (flags.json === true) await printResult(sent, terminal);
  else tell(`Delivery ${sent.id} is sent again to ${sent.url}`, terminal);
}

/** The secret is on stdout alone, so that a script can read it. */
export async function webhookSecretCommand(
  { rotate, ...flags }: SecretFlags,
  terminal: Terminal,
): Promise<void> {
  const { runs } = await connectServer(flags);
  const secret = await explained(rotate === true ? runs.rotateWebhookSecret() : runs.webhookSecret());
  if (flags.json === true) return printResult(secret, terminal);
  const { previous_expires_at: until } = secret;
  if (until !== undefined) tell(`The secret before it signs until ${until}.`, terminal, 'aside');
  return printText(`${secret.secret}\n`, terminal);
}
