/**
 * Fallback ladder: turns any model reply into an event.
 *
 * validated call, each reply read leniently before the next request → lenient parse of the last
 * reply → one prompted call → plain text as speech → skipped
 */
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { ParsedAgentOutput } from '@truecast/core/internal/event-contract/event-result';
import { eventSchema } from '@truecast/core/internal/event-contract/event-schema';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import type { EventProvenance } from '../../ledger/ledger-event.ts';
import { callCharged, type CallOutcome } from './charged-call.ts';
import type { EventAnswer, EventQuestion } from './event-question.ts';
import type { ProviderRequest } from '../../providers/provider.ts';
import { readWords } from '../../providers/read-words.ts';
import { reasoningIn } from './thought.ts';
import { isRecord } from '@truecast/core/internal/kit/is-record';

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
  readonly words?: ReadWords;
  readonly error?: unknown;
}

/** True for a service that answers with too much, or redirects to another address. */
function isUnusable(error: unknown): boolean {
  return ModelError.isInstance(error) && (error.code === 'too-large' || error.code === 'redirect');
}

function send<TResult extends { readonly usage?: Usage; readonly model?: string }>(
  question: EventQuestion,
  path: EventProvenance['path'],
  ask: (request: ProviderRequest) => Promise<TResult>,
): Promise<CallOutcome<TResult>> {
  const { turn, provider, contract, system } = question;
  const { onText, signal } = turn;
  const preview = onText === undefined ? {} : { onText };
  return callCharged({
    turn,
    model: provider.model,
    ask: (onCall) => {
      const prompt = question.promptFor(path);
      return ask({ system, prompt, contract, signal, onCall, ...preview });
    },
  });
}

async function askValidated(question: EventQuestion): Promise<EventAnswer | GivenUp> {
  const { provider, contract, maxRetries } = question;
  if (provider.completeStructured === undefined) return { attempts: 0 };
  const ask = provider.completeStructured.bind(provider);
  const schema = eventSchema(contract);
  const retries = maxRetries === undefined ? {} : { maxRetries };
  const outcome = await send(question, 'validated', (request) => ask({ ...request, schema, ...retries }));
  if (!outcome.success) {
    const { error, model } = outcome;
    const received = readReceived(question, receivedIn(error), model);
    return 'type' in received ? received : { ...received, error };
  }
  const { value, attempts, model = provider.model, reasoning, receivedText, unenforced } = outcome.value;
  const told = reasoning === undefined ? {} : { reasoning };
  // The parser is run again for its labels.
  if (receivedText !== undefined) {
    return { ...readReceived(question, { text: receivedText, attempts }, model), ...told };
  }
  const checked = await schema['~standard'].validate(value);
  if (checked.issues !== undefined) {
    return readReceived(question, { text: jsonFormOf(value), attempts }, model);
  }
  const lost = unenforced === undefined ? {} : { unenforced };
  const provenance = { path: 'validated', rung: 'validated', attempts, ...lost } as const;
  return { type: 'event', payload: checked.value, provenance, model, ...told };
}

function readReceived(
  { contract }: EventQuestion,
  { text, attempts }: ReturnType<typeof receivedIn>,
  model: string,
): EventAnswer | GivenUp {
  if (text === undefined) return { attempts };
  const parsed = readWords(text, contract);
  if (parsed.tier === 'raw') return { attempts, words: { parsed, model } };
  const provenance = { path: 'validated', rung: 'received', attempts, ...recordOf(parsed) } as const;
  return { type: 'event', payload: parsed.payload, provenance, model };
}

async function askPrompted(
  question: EventQuestion,
  before: GivenUp,
): Promise<EventAnswer | { readonly error: unknown }> {
  const { provider, contract } = question;
  const outcome = await send(question, 'prompted', (request) => provider.complete(request));
  const said = outcome.success
    ? outcome.value
    : { ...receivedIn(outcome.error), model: outcome.model, reasoning: undefined };
  const { text, model = provider.model, reasoning } = said;
  const spoken: ReadWords[] =
    text === undefined
      ? []
      : [{ parsed: readWords(text, contract), model, reasoning: reasoning ?? reasoningIn(text) }];
  const usable = [...spoken, before.words].find((words) => words !== undefined && isUsable(words.parsed));
  const best = usable ?? (outcome.success ? spoken[0] : undefined);
  if (best !== undefined) return toAnswer(question, before, best);
  return { error: outcome.success ? undefined : outcome.error };
}

/** Enough to recognize an answer in a list of events. */
const MAX_SHOWN_PAYLOAD = 100;

/** Prose about a contest is not a verdict. */
const VERDICT = 'judge.verdict';

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
  if (isRaw && payload.kind === VERDICT) {
    return { type: 'skipped', reason: 'The model wrote prose, which is no verdict.', provenance, model };
  }
  if (isUsable(parsed)) {
    return { type: 'event', payload, provenance, model, ...(reasoning !== undefined && { reasoning }) };
  }
  const told = parsed.violations.map(({ code, field }) => (field === '' ? code : `${code} at ${field}`));
  const tries = attempts === 0 ? '1 attempt' : `${attempts + 1} attempts`;
  const got = cut(JSON.stringify(payload), MAX_SHOWN_PAYLOAD);
  const reason = `The model returned no usable answer in ${tries}: ${told.join(', ')}. Got ${got}. Use a stronger model, or a simpler contract.`;
  return { type: 'skipped', reason, provenance, model };
}

function isUsable({ payload }: ParsedAgentOutput): boolean {
  return payload.text !== '';
}

/**
 * Details of the parse. Empty details are left out, so that a clean answer reports nothing else.
 */
function recordOf({
  payload: _payload,
  repairs,
  violations,
  ...rest
}: ParsedAgentOutput): Pick<EventProvenance, 'tier' | 'repairs' | 'violations' | 'requestedKind'> {
  return {
    ...rest,
    ...(repairs.length > 0 && { repairs }),
    ...(violations.length > 0 && { violations }),
  };
}

/** The text that a failed call received, and its attempts: one if its provider does not report them. */
function receivedIn(error: unknown): { readonly text: string | undefined; readonly attempts: number } {
  const { receivedText, attempts } = isRecord(error) ? error : {};
  return {
    text: typeof receivedText === 'string' ? receivedText : undefined,
    attempts: Array.isArray(attempts) ? attempts.length : 1,
  };
}

function jsonFormOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
