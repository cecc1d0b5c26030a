/** Audit log: one row per deletion, retention run, export, and change of tokens and connected models. */
import type { StateDb } from './machine-context.ts';

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

/** Adds a row. Call it in the transaction of the action. */
export async function writeAudit(db: StateDb, entry: AuditEntry, now: number): Promise<void> {
  const { action, actor, owner = null, subject = null, detail = {} } = entry;
  const row = { at: now, action, actor, owner, subject, detail: JSON.stringify(detail) };
  await db.insertInto('audit_log').values(row).execute();
}
