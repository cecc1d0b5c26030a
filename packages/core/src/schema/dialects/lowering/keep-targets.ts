/** Reference targets: moves targets into `$defs` if trimming has removed their place. Pure. */
import type { LoweringPort } from './lowering-port.ts';
import { ReferenceIndex } from '../analysis/reference-index.ts';
import { isRecord } from '../../../kit/is-record.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import { collectNodes } from '../analysis/schema-rule.ts';

/** Trims a part of the original schema. */
type Trim = (schema: unknown, path: SchemaPath) => unknown;

/**
 * Returns the trimmed schema, in which every reference has a target.
 *
 * @throws SchemaError `unsupported` for a reference that had no target before
 */
export function keepTargets(trimmed: SchemaObject, port: LoweringPort, trim: Trim): SchemaObject {
  const found = new ReferenceIndex(trimmed);
  const own = isRecord(trimmed['$defs']) ? trimmed['$defs'] : {};
  const moved = new Map<object, string>();
  const added = new Map<string, unknown>();
  const taken = new Set(Object.keys(own));
  const open: SchemaObject[] = [trimmed];
  const rewritten = new Map<object, string>();
  for (const part of open) {
    for (const { schema, path } of collectNodes(part, port.work)) {
      const { $ref } = schema;
      if (typeof $ref !== 'string' || isKept($ref, found, port)) continue;
      const target = port.resolve($ref, path);
      if (!isRecord(target.schema)) continue;
      const known = moved.get(target.schema);
      const name = known ?? freeName(target.path, taken, port);
      rewritten.set(schema, `#/$defs/${name}`);
      if (known !== undefined) continue;
      moved.set(target.schema, name);
      taken.add(name);
      const definition = trim(target.schema, target.path);
      added.set(name, definition);
      if (isRecord(definition)) open.push(definition);
    }
  }
  if (rewritten.size === 0) return trimmed;
  const root = rewrite(trimmed, rewritten);
  const definitions = [...added].map(([name, part]) => [name, rewriteAny(part, rewritten)]);
  const kept = isRecord(root['$defs']) ? root['$defs'] : {};
  return { ...root, $defs: { ...kept, ...(Object.fromEntries(definitions) as SchemaObject) } };
}

/** Anchors are not kept. Pointers are kept while their target is a schema. */
function isKept(reference: string, found: ReferenceIndex, { profile }: LoweringPort): boolean {
  if (reference === '#' && profile.hasRootReferences === false) return false;
  if (reference !== '#' && !reference.startsWith('#/')) return false;
  const target = found.find(reference)?.schema;
  return isRecord(target) || typeof target === 'boolean';
}

function freeName(path: SchemaPath, taken: ReadonlySet<string>, { work }: LoweringPort): string {
  const last = String(path.at(-1) ?? 'root').replaceAll(/[^\w.-]/gu, '_');
  let name = last;
  for (let count = 2; taken.has(name); count += 1) {
    name = `${last}_${count}`;
    work.spend(4, path);
  }
  return name;
}

/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

function rewrite(schema: SchemaObject, references: ReadonlyMap<object, string>): SchemaObject {
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => [
    keyword,
    DATA.has(keyword) ? value : rewriteAny(value, references),
  ]);
  const reference = references.get(schema);
  return { ...Object.fromEntries(members), ...(reference !== undefined && { $ref: reference }) };
}

function rewriteAny(value: unknown, references: ReadonlyMap<object, string>): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => rewriteAny(member, references));
  return isRecord(value) ? rewrite(value, references) : value;
}
