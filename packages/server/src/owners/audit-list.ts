/** List of the audit log. */
import { z } from 'zod';
import type { Selectable } from 'kysely';
import type { AuditLogTable } from '@truecast/store/internal/tables/chats';
import type { AuditAction, AuditEntry } from '../state/rows/audit-log.ts';
import type { StateDb } from '../state/rows/machine-context.ts';
import { readJson } from '../state/rows/stored-json.ts';

export interface AuditRecord extends AuditEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
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
