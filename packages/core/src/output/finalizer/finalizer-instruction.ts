/** Instructions to a model that still has to submit its answer. Pure. */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { FINALIZER_KEY, FINALIZER_NAME } from './finalizer-tool.ts';

/** End of a prompt whose answer is submitted by the tool. */
export const FINALIZER_REMINDER: string = `When all is done, hand in your answer by calling the tool \`${FINALIZER_NAME}\`.`;

/** The next call of a model whose answer is missing or wrong. */
export const CALL_FINALIZER: Readonly<Record<'now' | 'again', string>> = {
  now: callSentence('now', 'answer'),
  again: callSentence('again', 'corrected answer'),
};

function callSentence(when: string, what: string): string {
  return `Call the tool \`${FINALIZER_NAME}\` ${when}, alone, with {"${FINALIZER_KEY}": <the whole ${what}>}.`;
}

/**
 * Explains how to submit the answer that is missing or wrong according to `error`, without
 * repeating the work.
 */
export function finalizerInstruction(error: StructuredOutputError, retriesLeft: number): string {
  return (
    `${CALL_FINALIZER[error.code === 'not-produced' ? 'now' : 'again']} ` +
    `Do not redo the work: change no files and run no commands, unless a value is missing. Tries left after this one: ${retriesLeft}.`
  );
}
