/**
 * Portable tool schema: the input of a tool in the keywords that every engine for local models keeps. The
 * form of the arguments does not change. Pure.
 */
import { isRecord } from '../../kit/is-record.ts';
import { SchemaError } from '../../errors/schema-error.ts';
import { guardDepth, WorkBudget } from '../work/work-budget.ts';
import type { SchemaObject, SchemaPath } from './analysis/schema-place.ts';
import { keepTargets } from './lowering/keep-targets.ts';
import { SchemaLowering } from './lowering/schema-lowering.ts';
import { trimSchema } from './lowering/trim-schema.ts';
import { GRAMMAR_TOOL_DIALECT } from './profiles/grammar-dialect.ts';

/** Work of one tool. A list can have a thousand. */
const MAX_WORK = 150_000;

const known = new WeakMap<object, SchemaObject>();

/** Returns the schema. One that cannot be trimmed, such as with a remote reference, is returned unchanged. */
export function portableToolSchema(schema: SchemaObject, maxWork: number = MAX_WORK): SchemaObject {
  const portable = known.get(schema) ?? trimmed(schema, maxWork);
  // Greater work could trim it.
  if (portable !== schema || maxWork >= MAX_WORK) known.set(schema, portable);
  return portable;
}

function trimmed(schema: SchemaObject, maxWork: number): SchemaObject {
  const work = new WorkBudget({
    maxWork,
    work: 'Trimming the schema of a tool',
    advice: 'Merge fewer parts of it.',
  });
  try {
    return guardDepth(() => trimRoot(schema, work), 'the schema of a tool');
  } catch (error) {
    if (SchemaError.isInstance(error)) return schema;
    throw error;
  }
}

function trimRoot(schema: SchemaObject, work: WorkBudget): SchemaObject {
  // A copy, because parts are identified by their objects.
  const root: unknown = JSON.parse(JSON.stringify(schema));
  const lowering = new SchemaLowering(root, GRAMMAR_TOOL_DIALECT, work);
  const trim = (part: unknown, path: SchemaPath): unknown => trimSchema(part, path, lowering);
  const result = trim(root, []);
  return isRecord(result) ? keepTargets(result, lowering, trim) : schema;
}
