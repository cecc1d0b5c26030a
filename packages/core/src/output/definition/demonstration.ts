/**
 * Demonstration: an answered question before that of a model that no mode holds. A small
 * model that has seen one answer writes the next, instead of a text about the type. Pure.
 */

/** The answer of the demonstration. A model that repeats it has answered nothing. */
export const DEMONSTRATED: Readonly<Record<string, string | number>> = { city: 'Bergen', year: 1070 };

/** Its question, in the words of a caller's. It has no value of the caller's, and its keys are not those of a usual schema. */
export const DEMONSTRATED_QUESTION: string = [
  'Bergen was founded in 1070.\n',
  'Answer: JSON only, of this type:',
  '{ "city": string, "year": number }',
].join('\n');
