/** Owns the commands of the server: their flags. What they are made of is loaded when one is called. */
import type { Command } from 'commander';
import { wholeNumber, type CommandContext } from '../flag-values.ts';
import type { ServeFlags } from './serve-command.ts';
import type { ChatFlags } from './chat-command.ts';
import type { TokenCreateFlags, TokenFlags } from './token-command.ts';
import type { WorkerFlags } from './worker-command.ts';

const DATABASE = 'where chats are kept: a file, or postgres://… (default: .truecast/truecast.sqlite)';
const MODELS =
  'anthropic:MODEL, openai:MODEL, google:MODEL, local:MODEL at TRUECAST_BASE_URL, or scripted:demo; the first is the default';
const CONFIG = 'the configuration (default: truecast.config.ts, where there is one)';
const DEFAULT_PORT = 4747;

/** Adds the commands to the program. */
export function addServeCommands(program: Command, context: CommandContext): void {
  addProcesses(program, context);
  addChat(program, context);
  addTokens(program, context);
}

function addProcesses(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('serve')
    .description(
      'Serve chats over HTTP whose answers are validated by the schemas that come with the questions.',
    )
    .option('--port <port>', '0 takes any that is free', wholeNumber, DEFAULT_PORT)
    .option('--host <address>', 'where to listen; beyond loopback make a token first', '127.0.0.1')
    .option('--database-url <url>', DATABASE)
    .option('--model <model...>', MODELS)
    .option('--config <file>', CONFIG)
    .addHelpText(
      'after',
      `
Examples:
  $ truecast serve
  $ truecast serve --model anthropic:claude-sonnet-5-5 --database-url postgres://truecast@db.internal/truecast`,
    )
    .action((flags: ServeFlags) =>
      finish(async () => (await import('./serve-command.ts')).serveCommand(flags, terminal), {}),
    );
  program
    .command('worker')
    .description(
      'Work on the chats of a server on the same Postgres database, from another process or machine.',
    )
    .option('--database-url <url>', 'postgres://…')
    .option('--model <model...>', MODELS)
    .option('--config <file>', CONFIG)
    .addHelpText(
      'after',
      '\nExample:\n  $ truecast worker --database-url postgres://truecast@db.internal/truecast',
    )
    .action((flags: WorkerFlags) =>
      finish(async () => (await import('./worker-command.ts')).workerCommand(flags, terminal), {}),
    );
}

function addChat(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('chat')
    .description('Ask a server, and print the answer: with a schema, a valid value and nothing else.')
    .argument('<message>', 'what to ask')
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--chat <id>', 'go on with this chat (default: a new one)')
    .option('--model <model>', "a model of the server (default: the server's)")
    .option('--url <url>', 'the server (default: TRUECAST_URL, else the one of this folder)')
    .option('--token <token>', 'better in TRUECAST_TOKEN, which no list of processes shows')
    .option('--json', 'print { chat_id, text }, or { chat_id, output, receipt }')
    .addHelpText('after', '\nExample:\n  $ truecast chat "Which file has the bug?" --schema bug.json')
    .action((message: string, flags: ChatFlags) =>
      finish(async () => (await import('./chat-command.ts')).chatCommand(message, flags, terminal), flags),
    );
}

function addTokens(program: Command, { terminal, finish }: CommandContext): void {
  const group = program
    .command('token')
    .description('Say who may ask a server: make, list and revoke tokens.');
  group
    .command('create')
    .description('Make a token, and print it: the only time that it can be read.')
    .requiredOption('--name <name>', 'what it is called in lists')
    .option('--owner <owner>', 'whose chats it opens (default: a new owner, who sees nobody else’s)')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print { token, id, name, owner, createdAt }')
    .addHelpText('after', '\nExample:\n  $ truecast token create --name ci')
    .action((flags: TokenCreateFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenCreateCommand(flags, terminal), flags),
    );
  group
    .command('list')
    .description('List the tokens by their ids, revoked ones too.')
    .option('--database-url <url>', DATABASE)
    .option('--json', 'print them as JSON')
    .action((flags: TokenFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenListCommand(flags, terminal), flags),
    );
  group
    .command('revoke')
    .description('Revoke a token: from now on it opens nothing.')
    .argument('<id>', 'its id')
    .option('--database-url <url>', DATABASE)
    .action((id: string, flags: TokenFlags) =>
      finish(async () => (await import('./token-command.ts')).tokenRevokeCommand(id, flags, terminal), {}),
    );
}
