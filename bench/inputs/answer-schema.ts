/**
 * Standard Schema of the transcripts' answers, shared by ours and the peer that accepts one. Pure.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';

export interface Answer {
  readonly answer: number;
}

/** Accepts an object whose `answer` is a number. Nearly free, so that only extraction is timed. */
export const answerSchema: StandardSchemaV1<unknown, Answer> = {
  '~standard': {
    version: 1,
    vendor: 'truecast-bench',
    validate: (value) => {
      const answer =
        typeof value === 'object' && value !== null && 'answer' in value ? value.answer : undefined;
      return typeof answer === 'number'
        ? { value: { answer } }
        : { issues: [{ message: 'Expected `answer` to be a number.' }] };
    },
  },
};
