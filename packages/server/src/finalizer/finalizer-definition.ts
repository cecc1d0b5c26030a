/**
 * Finalizer of a chat turn: its definition for the model, and its facts for turn decisions. Pure.
 */
import {
  FINALIZER_NAME,
  finalizerToolFor,
  type FinalizerTool,
} from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ToolFacts } from '../contract/tools.ts';
import type { StoredFormat } from '../format/stored-format.ts';

/** The finalizer among the tools of a turn. */
export const FINALIZER_FACTS: ToolFacts = Object.freeze({
  name: FINALIZER_NAME,
  kind: 'local',
  isExclusive: true,
  isStopAfter: true,
  readOnlyHint: true,
});

/** Creates the definition anew at each call, so that a caller's changes stay local. */
export function finalizerDefinition({
  description,
  schema,
}: Pick<StoredFormat, 'description' | 'schema'>): FinalizerTool {
  return finalizerToolFor(structuredClone(schema), description);
}

/** The end of the system prompt in a turn with a request. */
export const FINALIZER_SYSTEM_TEXT: string =
  `This turn ends with a structured answer. When the work is done, call \`${FINALIZER_NAME}\` alone in its step; ` +
  'nothing else ends the turn.';
