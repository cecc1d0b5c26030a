/** `truecast data`: exports and erases the data of an owner, and prints the audit log. */
import { pipeline } from 'node:stream/promises';
import { eraseOwner, exportOwner } from '@truecast/server/internal/serve/owner-data';
import { listAudit, type AuditRecord } from '@truecast/server/internal/state/rows/audit-log';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import { escapeJsonText, printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { columnsFor } from '../terminal/style.ts';
import { renderTable } from '../terminal/render-table.ts';
import { withStore, type TokenFlags } from './token-command.ts';

const ACTOR = 'command';
const DEFAULT_ROWS = 100;

/** Flags of `truecast data export`. */
export interface ExportFlags extends TokenFlags {
  /** @default stdout */
  readonly output?: string;
}

/** Flags of `truecast data audit`. */
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
 * Escapes what a terminal would interpret. The parsed value is the same.
 *
 * @yields one piece per piece
 */
async function* escaped(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) yield escapeJsonText(piece);
}

/** Revokes an owner's tokens and deletes all chats. */
export async function dataEraseCommand(owner: string, flags: TokenFlags, terminal: Terminal): Promise<void> {
  const erased = await withStore(flags, (store) => eraseOwner(store, { owner, actor: ACTOR }));
  if (flags.json === true) await printResult(erased, terminal);
  else tell(`Deleted ${erased.chats} chats and revoked ${erased.tokens} tokens.`, terminal);
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
