/** Values that a prompt shows: what a model that answers nothing repeats of it. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import { DEMONSTRATED } from '../definition/demonstration.ts';
import { sampleOf } from '../definition/prompt-sample.ts';
import { isSameJson } from '../../schema/engine/evaluation/deep-equal.ts';

/**
 * Returns a test for what a prompt shows: the sample of a schema, its type as values, the schema, and the
 * demonstration before it.
 */
export function shownTest(schema: JsonSchema): (value: unknown) => boolean {
  const shown = [
    DEMONSTRATED,
    ...sampleOf(schema).echoes,
    ...(isRecord(schema) && Object.keys(schema).length > 0 ? [withoutMeta(schema)] : []),
  ];
  return (value) => shown.some((each) => isSameJson(value, each));
}

/** The draft of a schema is irrelevant to an agent. */
function withoutMeta({ $schema: _schema, ...rest }: Readonly<Record<string, unknown>>): unknown {
  return rest;
}
