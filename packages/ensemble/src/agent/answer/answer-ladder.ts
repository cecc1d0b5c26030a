/**
 * Fallback ladder: turns any model reply into an event.
 *
 * validated call, each reply read leniently before the next request → lenient parse of the last
 * reply → one prompted call → plain text as speech → skipped
 */
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { ParsedAgentOutput } from '@truecast/core/internal/event-contract/event-result';
import { eventSchema } from '@truecast/core/internal/event-contract/event-schema';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { EventProvenance } from '../../ledger/ledger-event.ts';
import type { AgentTurn } from '../../scenario/ensemble-agent.ts';
import { callCharged } from './charged-call.ts';
import type { EventAnswer, EventQuestion } from './event-question.ts';
import { readWords } from '../../providers/read-words.ts';
import { isUsable, receivedIn, recordOf, jsonFormOf, triesIn } from './parse-record.ts';
import { reasoningIn } from './reasoning-in.ts';

/**
 * Answers the question with the first rung that succeeds.
 *
 * Rejects with a refused charge, the signal's reason, a UsageError, or the last call's failure when
 * no rung received text.
 */
export async function climbLadder(question: EventQuestion): Promise<EventAnswer> {
  const validated = await askValidated(question);
  if ('type' in validated) return validated;
  // The same request to the same service would get the same.
  if (isUnusable(validated.error)) throw validated.error;
  const prompted = await askPrompted(question, validated);
  if ('error' in prompted) throw prompted.error;
  return prompted;
}

/** Answers with one call of a path and no fallback. Returns undefined if it produced no event. */
export async function askOnce(
  question: EventQuestion,
  path: EventProvenance['path'],
): Promise<EventAnswer | undefined> {
  const once = { ...question, maxRetries: 0 };
  const answer = path === 'validated' ? await askValidated(once) : await askPrompted(once, { attempts: 0 });
  return 'type' in answer && answer.provenance.rung !== 'raw' ? answer : undefined;
}

/** The result of the validated call that the lower rungs use. */
interface GivenUp {
  readonly attempts: number;
  /** The received text, used if no better rung succeeds. */
  readonly words?: ParsedAgentOutput;
  /** The model that wrote the text. */
  readonly model?: string;
  /** The call's failure. */
  readonly error?: unknown;
}

/** True for a service that answers with too much, or redirects to another address. */
function isUnusable(error: unknown): boolean {
  return ModelError.isInstance(error) && (error.code === 'too-large' || error.code === 'redirect');
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
      const request = { system, prompt, contract, schema, signal: turn.signal, onCall, ...previewOf(turn) };
      return ask(maxRetries === undefined ? request : { ...request, maxRetries });
    },
  });
  if (!outcome.success) {
    const { error, model } = outcome;
    const received = readReceived(question, { text: receivedIn(error), attempts: triesIn(error), model });
    return 'type' in received ? received : { ...received, error };
  }
  const { value, attempts, model = provider.model, reasoning, receivedText, unenforced } = outcome.value;
  const told = reasoning === undefined ? {} : { reasoning };
  // The parser is run again for its labels.
  if (receivedText !== undefined)
    return { ...readReceived(question, { text: receivedText, attempts, model }), ...told };
  const checked = await schema['~standard'].validate(value);
  if (checked.issues !== undefined)
    return readReceived(question, { text: jsonFormOf(value), attempts, model });
  return {
    type: 'event',
    payload: checked.value,
    provenance: {
      path: 'validated',
      rung: 'validated',
      attempts,
      ...(unenforced !== undefined && { unenforced }),
    },
    model,
    ...told,
  };
}

function previewOf({ onText }: AgentTurn): Pick<AgentTurn, 'onText'> {
  return onText === undefined ? {} : { onText };
}

interface Received {
  readonly text: string | undefined;
  readonly attempts: number;
  readonly model: string;
}

function readReceived(
  { contract }: EventQuestion,
  { text, attempts, model }: Received,
): EventAnswer | GivenUp {
  if (text === undefined) return { attempts };
  const words = readWords(text, contract);
  if (words.tier === 'raw') return { attempts, words, model };
  const provenance = { path: 'validated', rung: 'received', attempts, ...recordOf(words) } as const;
  return { type: 'event', payload: words.payload, provenance, model };
}

async function askPrompted(
  question: EventQuestion,
  before: GivenUp,
): Promise<EventAnswer | { readonly error: unknown }> {
  const { turn, provider, contract, system } = question;
  const outcome = await callCharged({
    turn,
    model: provider.model,
    ask: (onCall) => {
      const prompt = question.promptFor('prompted');
      return provider.complete({
        system,
        prompt,
        contract,
        signal: turn.signal,
        onCall,
        ...previewOf(turn),
      });
    },
  });
  const said = outcome.success
    ? { ...outcome.value, model: outcome.value.model ?? provider.model }
    : { text: receivedIn(outcome.error), model: outcome.model };
  const parsed = said.text === undefined ? undefined : readWords(said.text, contract);
  const { words, model = provider.model } = before;
  if (parsed !== undefined && isUsable(parsed))
    return toAnswer(question, before, { reasoning: reasoningIn(said.text), ...said, parsed });
  if (words !== undefined && isUsable(words)) return toAnswer(question, before, { parsed: words, model });
  if (!outcome.success) return { error: outcome.error };
  return toAnswer(question, before, { parsed: readWords(outcome.value.text, contract), model: said.model });
}

/** Enough to recognize an answer in a list of events. */
const MAX_SHOWN_PAYLOAD = 100;

/** Prose about a contest is not a verdict. */
const VERDICT = 'judge.verdict';

/** Parsed text. */
interface ReadWords {
  readonly parsed: ParsedAgentOutput;
  readonly model: string;
  readonly reasoning?: string | undefined;
}

function toAnswer(
  { provider }: EventQuestion,
  { attempts }: GivenUp,
  { parsed, model, reasoning }: ReadWords,
): EventAnswer {
  const isRaw = parsed.tier === 'raw';
  const provenance: EventProvenance = {
    path: provider.completeStructured === undefined || isRaw ? 'prompted' : 'validated',
    rung: isRaw ? 'raw' : 'prompted',
    attempts,
    ...recordOf(parsed),
  };
  const { payload } = parsed;
  if (isRaw && payload.kind === VERDICT)
    return { type: 'skipped', reason: 'The model wrote prose, which is no verdict.', provenance, model };
  if (isUsable(parsed))
    return { type: 'event', payload, provenance, model, ...(reasoning !== undefined && { reasoning }) };
  const told = parsed.violations.map(({ code, field }) => (field === '' ? code : `${code} at ${field}`));
  const tries = attempts === 0 ? '1 attempt' : `${attempts + 1} attempts`;
  const got = cut(JSON.stringify(payload), MAX_SHOWN_PAYLOAD);
  const reason = `The model returned no usable answer in ${tries}: ${told.join(', ')}. Got ${got}. Use a stronger model, or a simpler contract.`;
  return { type: 'skipped', reason, provenance, model };
}
