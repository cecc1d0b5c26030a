/**
 * Finalizer tool, with which an agent submits its answer: its name, its description, the envelope of
 * its input, and instructions to a model that still has to call it. Pure.
 */
import type { StructuredOutputError } from '../../errors/structured-output-error.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import { outputJsonSchema } from '../definition/output-json-schema.ts';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import { embedSchema, ENVELOPE_KEY } from '../../schema/engine/embed-schema.ts';

/** The tool's name, on every server that offers it. */
export const FINALIZER_NAME = 'submit_structured_output';

/** Tool definition for models. */
export interface FinalizerTool {
  readonly name: typeof FINALIZER_NAME;
  readonly description: string;
  /** JSON Schema of the input `{ "output": … }`. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Purpose of the tool, in every tool list. */
const FINALIZER_DESCRIPTION: string =
  'Hands in the final structured answer of this task, in `output`. Call it once, alone, after all other work is done. ' +
  'The answer is checked at once: when it is rejected, correct what is named and call the tool again; once it is accepted it is final, and nothing more can be handed in.';

/**
 * Creates the tool for the answer of a definition.
 *
 * @throws UsageError if the definition is text, or if its schema has no JSON Schema
 */
export function finalizerTool(definition: AnyOutputDefinition): FinalizerTool {
  const schema = outputJsonSchema(definition);
  if (schema === undefined) {
    throw new UsageError(
      `A text answer cannot be submitted with the tool \`${FINALIZER_NAME}\`. Set \`tag\`.`,
      { code: 'unsupported' },
    );
  }
  return finalizerToolFor(schema);
}

/** Creates the tool for the answer of a schema. `about` is the caller's description of the answer. */
export function finalizerToolFor(schema: JsonSchema, about: string = ''): FinalizerTool {
  const description = `${FINALIZER_DESCRIPTION}${about === '' ? '' : ` What the answer is: ${about}`}`;
  return { name: FINALIZER_NAME, description, inputSchema: embedSchema(schema, ENVELOPE_KEY) };
}

/** End of a prompt whose answer is submitted by the tool. */
export const FINALIZER_REMINDER: string = `When all is done, hand in your answer by calling the tool \`${FINALIZER_NAME}\`.`;

/** The next call of a model whose answer is missing or wrong. */
export const CALL_FINALIZER: Readonly<Record<'now' | 'again', string>> = {
  now: /* @__PURE__ */ callSentence('now', 'answer'),
  again: /* @__PURE__ */ callSentence('again', 'corrected answer'),
};

/** Next step of a model that wrote text, and can still work. */
export const CALL_WHEN_DONE: string = /* @__PURE__ */ whenDone();

function whenDone(): string {
  return `${CALL_FINALIZER.now} Before that, call whatever other tools the work still needs.`;
}

/** Feedback about a step that is not the answer. */
export const NOT_ANSWERED: Readonly<Record<'text' | 'notAlone', string>> = {
  text: 'This request is not answered by text.',
  notAlone: `\`${FINALIZER_NAME}\` must be the only call of its step. Nothing of this step was run.`,
};

/** Explains why a call next to an exclusive tool was not run. */
export function siblingText(exclusiveName: string): string {
  return `Not run: \`${exclusiveName}\` was called in the same step, and must be alone in it. Make this call again without it, and that one in a step of its own.`;
}

function callSentence(when: string, what: string): string {
  return `Call the tool \`${FINALIZER_NAME}\` ${when}, alone, with {"${ENVELOPE_KEY}": <the whole ${what}>}.`;
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
