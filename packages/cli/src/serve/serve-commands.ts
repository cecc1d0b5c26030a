/** Server commands and their flags. The implementation is loaded when a command is called. */
import { Option, type Command } from 'commander';
import { TOKEN_SCOPES } from '@truecast/core/internal/kit/token-scopes';
import {
  addServerFlags,
  countOf,
  shutdownSeconds,
  timeLength,
  wholeNumber,
  type CommandContext,
} from '../flags/flag-values.ts';
import { addDataCommands } from './data-commands.ts';
import type { LogLevel } from '@truecast/server/internal/config/server-config';
import type { ServeFlags } from './serve-command.ts';
import type { ChatFlags } from './chat-command.ts';
import type { LinkFlags } from './link-command.ts';
import type { TokenCreateFlags, TokenFlags } from './token-command.ts';
import type { UsageFlags } from './usage-command.ts';
import type { WorkerOnlyFlags } from './worker-command.ts';

const DATABASE =
  "database of the chats: a file or postgres://… (default: truecast.sqlite in the repository's state folder)";
const MODELS =
  'anthropic:MODEL, openai:MODEL, google:MODEL, local:MODEL at TRUECAST_BASE_URL, scripted:demo, or a name from the --models file; the first is the default';
const MODELS_FILE = 'models.yaml file: address, key, limits, prices and fallbacks of each model';
const CONFIG = 'configuration file (default: truecast.config.ts, if it exists)';
const RETENTION =
  'delete chats that were not used, and agent runs that ended, this many days ago (default: keep them)';
const SKELETONS = 'delete the remaining rows of a deleted chat this many days later (default: keep them)';
const AUDIT = 'delete rows of the audit log that are older than this many days (default: keep them)';
const SHUTDOWN = 'seconds at a stop for running requests, and then as many for running turns (default: 10)';
const DEFAULT_PORT = 4747;
/** Listed here, so that the help needs no installed server. The record fails to compile if one is missing. */
const LEVELS: Readonly<Record<LogLevel, true>> = {
  debug: true,
  info: true,
  warn: true,
  error: true,
  silent: true,
};

export function addServeCommands(program: Command, context: CommandContext): void {
  addProcesses(program, context);
  addLink(program, context);
  addChat(program, context);
  addUsage(program, context);
  addTokens(program, context);
  addDataCommands(program, context, DATABASE);
}

function addProcesses(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('serve')
    .description('Serve chats over HTTP. Answers are validated by the schemas in the requests.')
    .option('--port <port>', 'port to listen on; 0 selects a free one', wholeNumber, DEFAULT_PORT)
    .option(
      '--host <address>',
      'address to listen on; create a token first if it is not loopback',
      '127.0.0.1',
    )
    .option('--open', 'open the console in the browser')
    .option('--database-url <url>', DATABASE)
    .option('--model <model...>', MODELS)
    .option('--models <file>', MODELS_FILE)
    .option('--config <file>', CONFIG)
    .option('--retention-days <days>', RETENTION, countOf)
    .option('--skeleton-retention-days <days>', SKELETONS, countOf)
    .option('--audit-retention-days <days>', AUDIT, countOf)
    .option('--shutdown-seconds <seconds>', SHUTDOWN, shutdownSeconds)
    .addOption(logLevelOption())
    .addHelpText(
      'after',
      `
Examples:
  $ truecast serve --open
  $ truecast serve --model anthropic:claude-sonnet-5-5 --database-url postgres://truecast@db.internal/truecast`,
    )
    .action((flags: ServeFlags) =>
      finish(async () => (await import('./serve-command.ts')).serveCommand(flags, terminal), {}),
    );
  program
    .command('worker')
    .description(
      'Process chat turns of a server on the same Postgres database, in another process or on another machine.',
    )
    .option('--database-url <url>', 'postgres://…')
    .option('--model <model...>', MODELS)
    .option('--models <file>', MODELS_FILE)
    .option('--config <file>', CONFIG)
    .option('--retention-days <days>', RETENTION, countOf)
    .option('--skeleton-retention-days <days>', SKELETONS, countOf)
    .option('--audit-retention-days <days>', AUDIT, countOf)
    .option('--shutdown-seconds <seconds>', SHUTDOWN, shutdownSeconds)
    .addOption(logLevelOption())
    .option(
      '--metrics-port <port>',
      'serve /metrics and /healthz on this port; 0 selects a free one',
      wholeNumber,
    )
    .option('--metrics-host <address>', 'address of the metrics', '127.0.0.1')
    .addHelpText(
      'after',
      '\nExample:\n  $ truecast worker --database-url postgres://truecast@db.internal/truecast',
    )
    .action((flags: WorkerOnlyFlags) =>
      finish(async () => (await import('./worker-command.ts')).workerCommand(flags, terminal), {}),
    );
}

function logLevelOption(): Option {
  const about = 'lowest level of the JSON lines on stdout (default: info, and warn on a terminal)';
  return new Option('--log-level <level>', about).choices(Object.keys(LEVELS));
}

function addChat(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('chat')
    .description('Send a message to a server and print the answer. With --schema, print only a valid value.')
    .argument('<message>', 'text of the message')
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--chat <id>', 'continue this chat (default: a new one)')
    .option('--model <model>', "a model of the server (default: the server's default model)");
  addServerFlags(command)
    .option('--json', 'print { chat_id, text }, or { chat_id, output, receipt }')
    .addHelpText('after', '\nExample:\n  $ truecast chat "Which file has the bug?" --schema bug.json')
    .action((message: string, flags: ChatFlags) =>
      finish(async () => (await import('./chat-command.ts')).chatCommand(message, flags, terminal), flags),
    );
}

function addLink(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('link')
    .description(
      'Print a link that signs one browser in to the console of a server, once and within 10 minutes.',
    );
  addServerFlags(command)
    .option('--json', 'print { link, expires_at }')
    .addHelpText(
      'after',
      '\nExamples:\n  $ truecast link\n  $ TRUECAST_TOKEN=tc_… truecast link --url https://truecast.internal',
    )
    .action((flags: LinkFlags) =>
      finish(async () => (await import('./link-command.ts')).linkCommand(flags, terminal), flags),
    );
}

function addUsage(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('usage')
    .description("Print an owner's use of the server's quotas: turns, tokens, cost and chats.")
    .argument('[owner]', "any owner; needs a token with the scope `admin` (default: the token's owner)");
  addServerFlags(command)
    .option('--json', 'print { owner, period, chats, concurrent_turns, limits }')
    .addHelpText('after', '\nExamples:\n  $ truecast usage\n  $ truecast usage anna --json')
    .action((owner: string | undefined, flags: UsageFlags) =>
      finish(async () => (await import('./usage-command.ts')).usageCommand(owner, flags, terminal), flags),
    );
}

function addTokens(program: Command, { terminal, finish }: CommandContext): void {
  const group = program.command('token').description('Manage access tokens: create, list, revoke, show.');
  group
    .command('create')
    .description('Create a token and print it. It cannot be shown again.')
    .requiredOption('--name <name>', 'name of the token in lists')
    .option(
      '--owner <owner>',
      'owner whose chats it can access (default: a new owner, without access to existing chats)',
    )
    .addOption(
      new Option('--scope <scope...>', 'routes that the token can access (default: chats)').choices(
        TOKEN_SCOPES,
      ),
    )
    .option('--expires <time>', 'lifetime, such as 24h or 30d (default: does not expire)', timeLength)
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { token, id, name, owner, scopes, createdAt, expiresAt }')
    .addHelpText(
      'after',
      '\nExamples:\n  $ truecast token create --name ci --expires 30d\n  $ truecast token create --name prometheus --scope metrics',
    )
    .action((flags: TokenCreateFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenCreateCommand(flags, terminal), flags),
    );
  group
    .command('show')
    .description('Print the token of the server that runs for this folder, for programs.')
    .addHelpText('after', '\nExample:\n  $ export TRUECAST_TOKEN=$(truecast token show)')
    .action(() => finish(async () => (await import('./link-command.ts')).tokenShowCommand(terminal), {}));
  group
    .command('list')
    .description('List the tokens with their ids, revoked ones included.')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print them as JSON')
    .action((flags: TokenFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenListCommand(flags, terminal), flags),
    );
  group
    .command('revoke')
    .description('Revoke a token. It becomes invalid within a second.')
    .argument('<id>', 'its id')
    .option('--database-url <url>', DATABASE)
    .action((id: string, flags: TokenFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenRevokeCommand(id, flags, terminal), {}),
    );
}
