/** `truecast data` and its flags. The implementation is loaded when a command is called. */
import type { Command } from 'commander';
import { countOf, type CommandContext } from '../flags/flag-values.ts';
import type { AuditFlags, EraseFlags, ExportFlags } from './data-command.ts';

/** Adds the commands. `database` describes `--database-url`. */
export function addDataCommands(
  program: Command,
  { terminal, finish }: CommandContext,
  database: string,
): void {
  const group = program
    .command('data')
    .description("Export or erase an owner's chats, and list the audit log of the database.");
  group
    .command('export')
    .description('Print all data of an owner as JSON: tokens, chats, messages, requests and values.')
    .argument('<owner>', 'owner, as listed by `truecast token list`')
    .option('--output <file>', 'write to this new file (default: stdout)')
    .option('--database-url <url>', database)
    .addHelpText('after', '\nExample:\n  $ truecast data export anna --output anna.json')
    .action((owner: string, flags: ExportFlags) =>
      finish(async () => (await import('./data-command.ts')).dataExportCommand(owner, flags, terminal), {}),
    );
  group
    .command('erase')
    .description('Revoke all tokens of an owner, and delete all chats with their values. Cannot be undone.')
    .argument('<owner>', 'owner, as listed by `truecast token list`')
    .option('--database-url <url>', database)
    .option('--yes', 'erase without a question')
    .option('--json', 'print { tokens, chats }')
    .addHelpText('after', '\nExample:\n  $ truecast data erase anna --yes')
    .action((owner: string, flags: EraseFlags) =>
      finish(async () => (await import('./data-command.ts')).dataEraseCommand(owner, flags, terminal), flags),
    );
  group
    .command('audit')
    .description('List deletions, retention runs, exports, and changes of tokens, the newest first.')
    .option('--owner <owner>', 'only rows of this owner')
    .option('--limit <count>', 'maximum rows (default: 100)', countOf)
    .option('--database-url <url>', database)
    .option('--json', 'print them as JSON')
    .action((flags: AuditFlags) =>
      finish(async () => (await import('./data-command.ts')).dataAuditCommand(flags, terminal), flags),
    );
}
