/** Failing fields by schema and path, with one cell per model. Pure. */
import { placedIssue } from '@truecast/core/internal/output/validate/describe-refusal';
import type { QualityField } from '@truecast/client/internal/wire/quality';

/** Attempts of one model that failed at a field. */
export interface FieldCell {
  readonly failed: number;
  readonly attempts: number;
}

export interface FieldRow {
  readonly key: string;
  readonly title: string;
  readonly schemaHash: string;
  readonly path: string;
  /** The rule that was broken most often. */
  readonly rule: string;
  readonly failed: number;
  readonly byModel: ReadonlyMap<string, FieldCell>;
}

/** Fields, and the models in the order of their columns. */
export interface FieldMatrix {
  readonly models: readonly string[];
  readonly rows: readonly FieldRow[];
}

const UNKNOWN_MODEL = 'Unknown model';

/** Groups the fields. The field that failed most often is first, and so is the model with most attempts. */
export function fieldMatrix(reported: readonly QualityField[]): FieldMatrix {
  // A missing property is a mistake in its own field.
  const fields = reported.map((field) => ({ ...field, ...placedIssue(field) }));
  const groups = Map.groupBy(fields, ({ schema_hash, path }) => `${schema_hash} ${path}`);
  const rows = [...groups].map(([key, group]) => rowOf(key, group));
  const attempts = new Map<string, number>();
  for (const { model = UNKNOWN_MODEL, attempts: own } of fields) {
    attempts.set(model, Math.max(own, attempts.get(model) ?? 0));
  }
  const models = [...attempts].toSorted(([, one], [, other]) => other - one).map(([model]) => model);
  return { models, rows: rows.toSorted((one, other) => other.failed - one.failed) };
}

function rowOf(key: string, group: readonly QualityField[]): FieldRow {
  const byModel = new Map<string, FieldCell>();
  const byRule = new Map<string, number>();
  let failed = 0;
  for (const field of group) {
    const { model = UNKNOWN_MODEL, attempts, rule } = field;
    const before = byModel.get(model)?.failed ?? 0;
    // An attempt can break two rules of one field.
    byModel.set(model, { failed: Math.min(attempts, before + field.failed), attempts });
    byRule.set(rule, (byRule.get(rule) ?? 0) + field.failed);
    failed += field.failed;
  }
  const [first] = group;
  const rule = [...byRule].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? '';
  const schemaHash = first?.schema_hash ?? '';
  const title = first?.name ?? schemaHash.slice(0, 12);
  return { key, title, schemaHash, path: first?.path ?? '', rule, failed, byModel };
}
