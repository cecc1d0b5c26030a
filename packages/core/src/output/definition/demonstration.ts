/**
 * Demonstration: an answered question before that of a model that no mode holds. A small
 * model that has seen one answer writes the next, instead of a text about the type. Pure.
 */

/**
 * A number that few answers have by chance. Small models copied a name into their answers, and a schema
 * accepts a name wherever it accepts text.
 */
const MARK = 40_961;
const MARK_TEXT = new RegExp(`(?<!\\d)${MARK}(?!\\d)`, 'u');

/** The answer of the demonstration. */
export const DEMONSTRATED: Readonly<Record<string, number>> = { days: MARK };

/**
 * Its question, in the words of a caller's. Its text says more than it asks for, because a small model adds
 * a key for each fact that it reads.
 */
export const DEMONSTRATED_QUESTION: string = [
  `The bridge is closed because of the storm. It is ${MARK} days old, painted green, and 12 meters wide. Trains wait on both sides.\n`,
  'Answer: JSON only, of this type:',
  '{ "days": number }',
  'Keys: "days"',
].join('\n');

/** Returns true if JSON text has a value of the demonstration: a model that copies it has read it nowhere else. */
export function copiesDemonstration(json: string): boolean {
  return MARK_TEXT.test(json);
}
