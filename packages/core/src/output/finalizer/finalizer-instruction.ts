/** Instructions to a model that still has to submit its answer. Pure. */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { FINALIZER_KEY, FINALIZER_NAME } from './finalizer-tool.ts';

/** End of a prompt whose answer is submitted by the tool. */
export const FINALIZER_REMINDER: string = `When all is done, hand in your answer by calling the tool \`${FINALIZER_NAME}\`.`;

/**
 * Explains how to submit the answer that is missing or wrong according to `error`, without
 * repeating the work.
 */
export function finalizerInstruction(error: StructuredOutputError, retriesLeft: number): string {
  const [again, answer] = error.code === 'not-produced' ? ['now', 'answer'] : ['again', 'corrected answer'];
  return (
    `Call the tool \`${FINALIZER_NAME}\` ${again}, alone, with {"${FINALIZER_KEY}": <the whole ${answer}>}. ` +
    `Do not redo the work: change no files and run no commands, unless a value is missing. Tries left after this one: ${retriesLeft}.`
  );
}
