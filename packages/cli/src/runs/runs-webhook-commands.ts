/** Commands of the webhooks of runs, and their flags. The implementation is loaded when one is called. */
import type { Command } from 'commander';
import { addServerFlags, type CommandContext } from '../flags/flag-values.ts';
import type { ShowFlags } from './show-commands.ts';
import type { SecretFlags } from './webhook-commands.ts';

const ID = 'id of the run';

/** Adds the commands to `truecast runs`. */
export function addWebhooks(group: Command, { terminal, finish }: CommandContext): void {
  const load = () => import('./webhook-commands.ts');
  addServerFlags(
    group
      .command('deliveries')
      .description('List what was sent to the webhook of a run.')
      .argument('<id>', ID),
  )
    .option('--json', 'print { deliveries } as the server returns it')
    .action((id: string, flags: ShowFlags) =>
      finish(async () => (await load()).listDeliveriesCommand(id, flags, terminal), flags),
    );
  addServerFlags(
    group
      .command('redeliver')
      .description('Send a delivery again, also to an address that answered 410.')
      .argument('<id>', ID)
      .argument('[delivery]', 'id of the delivery (default: the last one of the run)'),
  )
    .option('--json', 'print the delivery as the server returns it')
    .action((id: string, delivery: string | undefined, flags: ShowFlags) =>
      finish(async () => (await load()).redeliverCommand({ id, delivery }, flags, terminal), flags),
    );
  addServerFlags(
    group.command('webhook-secret').description("Print the secret that signs the owner's webhooks."),
  )
    .option('--rotate', 'replace it first; the one before signs for one more day')
    .option('--json', 'print { secret, previous_secret, previous_expires_at }')
    .action((flags: SecretFlags) =>
      finish(async () => (await load()).webhookSecretCommand(flags, terminal), flags),
    );
}
