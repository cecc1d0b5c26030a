/** Audit log: one row per deletion, retention run, export, and change of tokens and connected models. */
import { z } from 'zod';
import type { Selectable } from 'kysely';
import type { AuditLogTable } from '@truecast/store/internal/tables/chats';
import type { StateDb } from './machine-context.ts';
import { readJson } from './stored-json.ts';

export type AuditAction =
  | 'chat_deleted'
  | 'run_deleted'
  | 'retention_run'
  | 'model_connected'
  | 'model_disconnected'
  | 'owner_exported'
  | 'owner_erased'
  | 'receipt_shared'
  | 'share_revoked'
  | 'token_created'
  | 'token_revoked';

/** A row of the log. It contains no text of a chat. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** `token:` and an id, `command`, `program` or `retention`. */
  readonly actor: string;
  readonly owner?: string;
  /** Id of the chat, the run, the request or the token, or the name of the model. */
  readonly subject?: string;
  readonly detail?: Readonly<Record<string, number>>;
}

export interface AuditRecord extends AuditEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Adds a row. Call it in the transaction of the action. */
export async function writeAudit(db: StateDb, entry: AuditEntry, now: number): Promise<void> {
  const { action, actor, owner = null, subject = null, detail = {} } = entry;
  const row = { at: now, action, actor, owner, subject, detail: JSON.stringify(detail) };
  await db.insertInto('audit_log').values(row).execute();
}

/** Lists the rows, the newest first. */
export async function listAudit(
  db: StateDb,
  { owner, limit }: { readonly owner?: string | undefined; readonly limit: number },
): Promise<AuditRecord[]> {
  const query = db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit);
  const rows = await (owner === undefined ? query : query.where('owner', '=', owner)).execute();
  return rows.map(toRecord);
}

const counts = z.record(z.string(), z.number());

function toRecord(row: Selectable<AuditLogTable>): AuditRecord {
  return {
    id: row.id,
    at: row.at,
    action: row.action as AuditAction, // Only `writeAudit` writes it.
    actor: row.actor,
    ...(row.owner !== null && { owner: row.owner }),
    ...(row.subject !== null && { subject: row.subject }),
    detail: readJson(counts, row.detail),
  };
}
