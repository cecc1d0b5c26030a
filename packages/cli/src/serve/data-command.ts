/** `truecast data`: exports and erases the data of an owner, and prints the audit log. */
import { pipeline } from 'node:stream/promises';
import { confirm } from '@clack/prompts';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { eraseOwner, exportOwner, isKnownOwner } from '@truecast/server/internal/owners/owner-data';
import { listAudit, type AuditRecord } from '@truecast/server/internal/owners/audit-list';
import { openChosenFile } from 'truecast/internal/support/open-chosen-file';
import { toTerminalLines } from 'truecast/internal/support/terminal-text';
import {
  escapeJsonText,
  printResult,
  printText,
  tell,
  type CommandTerminal,
  type Terminal,
  columnsFor,
} from '../terminal/print.ts';
import { LOCAL_OWNER } from './local-token.ts';
import { renderTable } from '../terminal/render-table.ts';
import { withStore, type TokenFlags } from './token-command.ts';

const ACTOR = 'command';
const DEFAULT_ROWS = 100;

export interface ExportFlags extends TokenFlags {
  /** @default stdout */
  readonly output?: string;
}

export interface EraseFlags extends TokenFlags {
  /** Skips the question. @default false */
  readonly yes?: boolean;
}

export interface AuditFlags extends TokenFlags {
  readonly owner?: string;
  readonly limit?: number;
}

/** Writes all data of an owner as one JSON object. */
export async function dataExportCommand(
  owner: string,
  flags: ExportFlags,
  terminal: Terminal,
): Promise<void> {
  await withStore(flags, async (store) => {
    const pieces = exportOwner(store, { owner, actor: ACTOR });
    if (flags.output === undefined) await pipeline(escaped(pieces), terminal.stdout, { end: false });
    else {
      // Only its owner can read it, because an export contains chats.
      await using file = await openChosenFile(flags.output, 'create');
      await pipeline(pieces, file.createWriteStream({ autoClose: false }));
    }
  });
  if (flags.output !== undefined) tell(`Exported to ${flags.output}.`, terminal);
}

/**
 * Escapes control characters for the terminal. The parsed value is the same.
 *
 * @yields one piece per piece
 */
async function* escaped(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) yield escapeJsonText(piece);
}

/** Revokes an owner's tokens, and deletes all chats and runs, after a confirmation. */
export async function dataEraseCommand(
  owner: string,
  flags: EraseFlags,
  terminal: CommandTerminal,
): Promise<void> {
  if (owner === LOCAL_OWNER) {
    throw new UsageError(
      `\`${LOCAL_OWNER}\` owns the token of \`truecast serve\` itself, which would be revoked. Delete its chats in the console, or the database file while no server runs.`,
    );
  }
  const erased = await withStore(flags, async (store) => {
    if (!(await isKnownOwner(store, owner))) {
      throw new UsageError(
        `The database has no owner \`${owner}\`. List the owners with \`truecast token list\`.`,
      );
    }
    await confirmErasure(owner, flags, terminal);
    return eraseOwner(store, { owner, actor: ACTOR });
  });
  const { chats, runs, tokens } = erased;
  if (flags.json === true) await printResult(erased, terminal);
  else tell(`Deleted ${chats} chats and ${runs} runs, and revoked ${tokens} tokens.`, terminal);
}

/** Asks on a terminal. @throws UsageError without a terminal and without `--yes` */
async function confirmErasure(
  owner: string,
  { yes = false }: EraseFlags,
  { stdin, stderr }: CommandTerminal,
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || stderr.isTTY !== true) {
    throw new UsageError(
      `All tokens, chats and runs of \`${owner}\` would be erased, which cannot be undone. Nothing was changed. To erase them, add \`--yes\`.`,
    );
  }
  const message = toTerminalLines(`Erase all tokens, chats and runs of ${owner}? This cannot be undone.`);
  const answer = await confirm({ message, initialValue: false, input: stdin, output: process.stderr });
  if (answer === true) return;
  throw new InterruptedError('Nothing was erased.', { processSignal: 'SIGINT' });
}

/** Prints the audit log, the newest rows first. */
export async function dataAuditCommand(flags: AuditFlags, terminal: Terminal): Promise<void> {
  const { owner, limit = DEFAULT_ROWS } = flags;
  const rows = await withStore(flags, (store) => listAudit(store.db, { owner, limit }));
  if (flags.json === true) return printResult(rows, terminal);
  if (rows.length === 0) return tell('The audit log has no matching rows.', terminal);
  const layout = { rightAligned: [], columns: columnsFor(terminal.stdout), droppable: [5] };
  printText(`${renderTable([HEAD, ...rows.map(toCells)], layout)}\n`, terminal);
}

const HEAD = ['time', 'action', 'actor', 'owner', 'subject', 'detail'];

function toCells({ at, action, actor, owner = '', subject = '', detail = {} }: AuditRecord): string[] {
  const counts = Object.entries(detail).map(([name, count]) => `${name}=${count}`);
  return [new Date(at).toISOString(), action, actor, owner, subject, counts.join(' ')];
}
