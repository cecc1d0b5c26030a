/** Rules of the judge that follow from a definition alone. Pure. */
import { isRecord } from '../../kit/is-record.ts';
import { maxBytesOf } from '../definition/assert-output-options.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { instructionsFor, TEXT_SAMPLE } from '../definition/instructions.ts';
import { outputJsonSchema, oncePerSchema } from '../definition/output-json-schema.ts';
import { answerWordsOf } from '../definition/output-kinds.ts';
import type { JudgeRules } from './judged.ts';
import { shownTest } from './shown-test.ts';

/** Returns the rules of a definition, at the level `strict`. */
export function rulesFor(definition: AnyOutputDefinition): JudgeRules {
  const maxBytes = maxBytesOf(definition);
  const words = answerWordsOf(definition);
  if (words?.length === 0) return { maxBytes, words, isOurs: (value) => value === TEXT_SAMPLE };
  return {
    maxBytes,
    ...(words !== undefined && { words }),
    isOurs: (value) => factsOf(definition).isShown(value),
    isForeign: (value, accepted) => isForeign(value, accepted, factsOf(definition).known),
    ownTexts: () =>
      [false, true].map((isDemonstrated) =>
        orElse(() => instructionsFor(definition, { isDemonstrated }), ''),
      ),
  };
}

/** A schema without a JSON Schema is shown in no prompt. `known` are the keys that an object's schema names. */
const factsOf = oncePerSchema((definition) => {
  const schema = orElse(() => outputJsonSchema(definition), undefined);
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return {
    isShown: schema === undefined ? (): boolean => false : shownTest(schema),
    known: isRecord(properties) ? Object.keys(properties) : undefined,
  };
});

/** A library drops unknown keys, so that any object could become an answer of optional keys. */
function isForeign(value: unknown, accepted: unknown, known: readonly string[] | undefined): boolean {
  if (known === undefined || !isRecord(value) || !isRecord(accepted)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && !keys.some((key) => known.includes(key) || Object.hasOwn(accepted, key));
}

function orElse<TValue>(make: () => TValue, other: TValue): TValue {
  try {
    return make();
  } catch {
    return other;
  }
}
