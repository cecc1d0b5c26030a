/**
 * Owns the ladder: how a turn comes to an event, whatever the model sends.
 *
 * validated call → tolerant reading of the text that came → one prompted call → the words as they are → skipped
 */
import type { ParsedAgentOutput } from '../contract/event-result.ts';
import { eventSchema } from '../contract/event-schema.ts';
import { parseAgentOutput } from '../contract/parse-agent-output.ts';
import type { EventProvenance } from '../ledger/ledger-event.ts';
import { callCharged } from './charged-call.ts';
import type { EventAnswer, EventQuestion } from './event-question.ts';
import { reasoningIn } from './reasoning-in.ts';

/**
 * Answers the question by the first rung that holds.
 *
 * Rejects with what a charge was refused with, the signal's reason, a UsageError, and with the failure of the last call where no rung had words.
 */
export async function climbLadder(question: EventQuestion): Promise<EventAnswer> {
  const validated = await askValidated(question);
  if ('type' in validated) return validated;
  const prompted = await askPrompted(question, validated);
  if ('error' in prompted) throw prompted.error;
  return prompted;
}

/** Answers by one call of a path, with no rung below it; undefined when it brought no event. */
export async function askOnce(
  question: EventQuestion,
  path: EventProvenance['path'],
): Promise<EventAnswer | undefined> {
  const once = { ...question, maxRetries: 0 };
  const answer = path === 'validated' ? await askValidated(once) : await askPrompted(once, { attempts: 0 });
  return 'type' in answer && answer.provenance.rung !== 'raw' ? answer : undefined;
}

/** What the validated call leaves to the rungs below. */
interface GivenUp {
  readonly attempts: number;
  /** The words that came, if nothing better does. */
  readonly words?: ParsedAgentOutput;
}

async function askValidated(question: EventQuestion): Promise<EventAnswer | GivenUp> {
  const { turn, provider, contract, system, maxRetries } = question;
  if (provider.completeStructured === undefined) return { attempts: 0 };
  const ask = provider.completeStructured.bind(provider);
  const schema = eventSchema(contract);
  const outcome = await callCharged({
    turn,
    model: provider.model,
    ask: (onCall) => {
      const prompt = question.promptFor('validated');
      const request = { system, prompt, contract, schema, signal: turn.signal, onCall };
      return ask(maxRetries === undefined ? request : { ...request, maxRetries });
    },
  });
  if (!outcome.success)
    return readReceived(question, { text: receivedIn(outcome.error), attempts: triesIn(outcome.error) });
  const { value, attempts, model = provider.model, reasoning } = outcome.value;
  const checked = await schema['~standard'].validate(value);
  if (checked.issues !== undefined) return readReceived(question, { text: JSON.stringify(value), attempts });
  return {
    type: 'event',
    payload: checked.value,
    provenance: { path: 'validated', rung: 'validated', attempts },
    model,
    ...(reasoning !== undefined && { reasoning }),
  };
}

interface Received {
  readonly text: string | undefined;
  readonly attempts: number;
}

function readReceived(question: EventQuestion, { text, attempts }: Received): EventAnswer | GivenUp {
  if (text === undefined) return { attempts };
  const words = read(question, text);
  if (words.tier === 'raw') return { attempts, words };
  const provenance = { path: 'validated', rung: 'received', attempts, ...recordOf(words) } as const;
  return { type: 'event', payload: words.payload, provenance, model: question.provider.model };
}

async function askPrompted(
  question: EventQuestion,
  { attempts, words }: GivenUp,
): Promise<EventAnswer | { readonly error: unknown }> {
  const { turn, provider, contract, system } = question;
  const outcome = await callCharged({
    turn,
    model: provider.model,
    ask: (onCall) => {
      const prompt = question.promptFor('prompted');
      return provider.complete({ system, prompt, contract, signal: turn.signal, onCall });
    },
  });
  if (!outcome.success) {
    const received = receivedIn(outcome.error);
    const last = received === undefined ? undefined : read(question, received);
    const usable = [last, words].find((parsed) => parsed !== undefined && isUsable(parsed));
    if (usable === undefined) return { error: outcome.error };
    return toAnswer(usable, { attempts, model: provider.model });
  }
  const { text, model = provider.model, reasoning = reasoningIn(text) } = outcome.value;
  const parsed = read(question, text);
  const best = isUsable(parsed) || words === undefined || !isUsable(words) ? parsed : words;
  return toAnswer(best, { attempts, model, reasoning });
}

interface AnswerContext {
  readonly attempts: number;
  readonly model: string;
  readonly reasoning?: string | undefined;
}

function toAnswer(parsed: ParsedAgentOutput, { attempts, model, reasoning }: AnswerContext): EventAnswer {
  const rung = parsed.tier === 'raw' ? 'raw' : 'prompted';
  const provenance: EventProvenance = { path: 'prompted', rung, attempts, ...recordOf(parsed) };
  if (isUsable(parsed))
    return {
      type: 'event',
      payload: parsed.payload,
      provenance,
      model,
      ...(reasoning !== undefined && { reasoning }),
    };
  const told = parsed.violations.map(({ code, field }) => (field === '' ? code : `${code} at ${field}`));
  return {
    type: 'skipped',
    reason: `Nothing usable came from the model: ${told.join(', ')}.`,
    provenance,
    model,
  };
}

/** Only what is not empty, so that an event which came as it was asked for says no more than that. */
function recordOf({
  tier,
  repairs,
  violations,
  requestedKind,
}: ParsedAgentOutput): Pick<EventProvenance, 'tier' | 'repairs' | 'violations' | 'requestedKind'> {
  return {
    tier,
    ...(repairs.length > 0 && { repairs }),
    ...(violations.length > 0 && { violations }),
    ...(requestedKind !== undefined && { requestedKind }),
  };
}

function isUsable({ payload }: ParsedAgentOutput): boolean {
  return payload.text !== '';
}

function read({ contract }: EventQuestion, text: string): ParsedAgentOutput {
  const { allowedKinds, extraFields = [] } = contract;
  return parseAgentOutput(text, { allowedKinds, fallbackKind: allowedKinds[0] ?? '', extraFields });
}

function receivedIn(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('receivedText' in error)) return undefined;
  return typeof error.receivedText === 'string' ? error.receivedText : undefined;
}

/** Tries that a failed call has made; a provider that does not tell made one. */
function triesIn(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('attempts' in error)) return 1;
  return Array.isArray(error.attempts) ? error.attempts.length : 1;
}
