/** Rules of the judge that follow from a definition alone. Pure. */
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { DEFAULT_MAX_PAYLOAD_BYTES } from './drive.ts';
import type { JudgeRules } from './judged.ts';

/** Returns the rules of a definition, at the level `strict`. */
export function rulesFor(definition: AnyOutputDefinition): JudgeRules {
  const { maxPayloadBytes: maxBytes = DEFAULT_MAX_PAYLOAD_BYTES } = definition;
  switch (definition._tag) {
    case 'string':
      return { maxBytes, words: [] };
    case 'choice':
      return { maxBytes, words: definition.options };
    default:
      return { maxBytes };
  }
}
