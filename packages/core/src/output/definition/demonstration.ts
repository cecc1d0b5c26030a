/**
 * Demonstration: an answered question before that of a model that no mode holds. A small
 * model that has seen one answer writes the next, instead of a text about the type. Pure.
 */

/**
 * A number that an answer hardly has by chance. A name, such as that of a town, went into the answers of a small
 * model as a text of its own, and each schema with a text takes it.
 */
const MARK = 40_961;
const MARK_TEXT = new RegExp(`(?<!\\d)${MARK}(?!\\d)`, 'u');

/** The answer of the demonstration. */
export const DEMONSTRATED: Readonly<Record<string, boolean | number>> = { isOpen: false, minutes: MARK };

/** Its question, in the words of a caller's. It has no value of the caller's, and its keys are not those of a usual schema. */
export const DEMONSTRATED_QUESTION: string = [
  `The bridge is closed. It opens again in ${MARK} minutes.\n`,
  'Answer: JSON only, of this type:',
  '{ "isOpen": boolean, "minutes": number }',
].join('\n');

/** Returns true if JSON text has a value of the demonstration: a model that copies it has read it nowhere else. */
export function copiesDemonstration(json: string): boolean {
  return MARK_TEXT.test(json);
}
