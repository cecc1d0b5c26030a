/** Requests of a model's work: the answer tool beside the caller's tools, forced where the service allows it. */
import { FINALIZER_REMINDER } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { sentToolSchema, type ModelMode } from '../modes/answer-mode.ts';
import { askByMode } from '../modes/ask-for-reply.ts';
import { openModelMode, schemaText, type ModeReply } from '../modes/conversation.ts';
import { withInstructions } from '../modes/told-schema.ts';
import { engineOf, recordRefusal } from '../ladder/engine.ts';
import { isHosted } from '../ladder/model-steps.ts';
import { readRefusal } from '../ladder/read-refusal.ts';
import type { Work } from './work.ts';

/** The step of the ladder that forces any call: the model chooses which. */
const STEP = 'required';

/** Requests the next reply. Without a forced call if the service refuses one. */
export async function askForStep(work: Work, isAnswerDue: boolean): Promise<ModeReply> {
  try {
    return await askByMode(work.conversation, workMode(work, isAnswerDue));
  } catch (error) {
    if (work.isFree || !refusesForce(work, error)) throw error;
    work.isFree = true;
    return askByMode(work.conversation, workMode(work, isAnswerDue));
  }
}

/** A refusal is about the whole list of tools. Only one of the choice itself is learned for other calls. */
function refusesForce({ conversation: { options } }: Work, error: unknown): boolean {
  const { model, output } = options;
  const refusal = readRefusal(error, STEP);
  const isOfChoice = refusal?.type === 'step' && refusal.drops.every((step) => step === STEP);
  if (isOfChoice && !isHosted(model)) {
    recordRefusal(engineOf(model), { step: STEP, schema: schemaText(output) }, refusal);
  }
  return refusal !== undefined;
}

function workMode({ conversation, tools, done, correction, isFree }: Work, isAnswerDue: boolean): ModelMode {
  const { model } = conversation.options;
  const mode = openModelMode(conversation, STEP);
  const others = [...tools.values()].map(({ name, description, inputSchema, passed }) => ({
    name,
    description,
    inputSchema: sentToolSchema(inputSchema, model),
    passed,
  }));
  return {
    ...mode,
    request: { ...mode.request, others: isAnswerDue ? [] : others, isFree },
    open: (messages, isTold) =>
      mode.open([...withInstructions(messages, FINALIZER_REMINDER), ...done, ...correction.messages], isTold),
  };
}
