/** Owns what a model is told to do when its answer is still to be handed in. Pure. */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { FINALIZER_KEY, FINALIZER_NAME } from './finalizer-tool.ts';

/** What stands at the end of a prompt whose answer is handed in by the tool. */
export const FINALIZER_REMINDER: string = `When all is done, hand in your answer by calling the tool \`${FINALIZER_NAME}\`.`;

/** Says how to hand in the answer that `error` says is missing or wrong; the work is not to be done again. */
export function finalizerInstruction(error: StructuredOutputError, retriesLeft: number): string {
  const [again, answer] = error.code === 'not-produced' ? ['now', 'answer'] : ['again', 'corrected answer'];
  return (
    `Call the tool \`${FINALIZER_NAME}\` ${again}, alone, with {"${FINALIZER_KEY}": <the whole ${answer}>}. ` +
    `Do not redo the work: change no files and run no commands, unless a value is missing. Tries left after this one: ${retriesLeft}.`
  );
}
