/**
 * Ladder: the steps to a typed answer, best first, and what a reply or a refusal shows about a step.
 * The one rule for `generate()`, ensembles, chats and `/v1`. Pure.
 *
 * untried → proven by a reply that only this step could shape → untried after a reply that ignores it
 * → dropped by the next one, or by a refusal
 */
import { parseJson } from '@truecast/core/internal/json/parse-json';

/**
 * `schema` and `object` are the two forms of a schema mode, `named` and `required` the two of a
 * forced call. `json` and `text` tell the schema in words.
 */
export const LADDER = ['schema', 'object', 'named', 'required', 'json', 'text'] as const;

export type LadderStep = (typeof LADDER)[number];

/** A step, or the tools without force. */
export type Droppable = LadderStep | 'auto';

/** The mode of each step, as callers and receipts name it. */
export const MODE_OF: Readonly<Record<LadderStep, 'native' | 'tool' | 'json'> & Record<'auto', 'tool_auto'>> =
  {
    schema: 'native',
    object: 'native',
    named: 'tool',
    required: 'tool',
    json: 'json',
    text: 'json',
    auto: 'tool_auto',
  };

/** Knowledge about the steps of one engine. Others are untried. */
export interface LadderStanding {
  readonly proven: ReadonlySet<LadderStep>;
  readonly dropped: ReadonlySet<Droppable>;
}

/** Nothing is known. */
export const UNKNOWN_STANDING: LadderStanding = { proven: new Set(), dropped: new Set() };

/** What a reply shows about the step that asked for it. A cut, empty or withheld one shows nothing. */
export type Shown = 'shaped' | 'ignored' | 'nothing';

/** The two forms of one ability. */
const FAMILIES: Readonly<Record<LadderStep, readonly LadderStep[]>> = {
  schema: ['schema', 'object'],
  object: ['schema', 'object'],
  named: ['named', 'required'],
  required: ['named', 'required'],
  json: ['json'],
  text: ['text'],
};

/** Returns the steps that use the same ability. */
export function familyOf(step: LadderStep): readonly LadderStep[] {
  return FAMILIES[step];
}

/**
 * Learns from a reply. A step that was not proven is dropped by one reply that ignores it, with the
 * other form of the ability. A proven one loses its proof: another engine can have the address.
 */
export function learn(standing: LadderStanding, step: LadderStep, shown: Shown): LadderStanding {
  const { proven, dropped } = standing;
  if (shown === 'nothing' || step === 'text') return standing;
  if (shown === 'shaped') return { proven: new Set([...proven, step]), dropped: without(dropped, [step]) };
  if (proven.has(step)) return { proven: without(proven, [step]), dropped };
  return drop(
    standing,
    FAMILIES[step].filter((each) => !proven.has(each)),
  );
}

/** Drops steps that the engine refused. Telling the schema in words needs nothing of it. */
export function drop({ proven, dropped }: LadderStanding, steps: readonly Droppable[]): LadderStanding {
  const refused = steps.filter((step) => step !== 'text');
  return { proven: without(proven, refused), dropped: new Set([...dropped, ...refused]) };
}

function without<TStep extends Droppable>(
  steps: ReadonlySet<TStep>,
  others: readonly Droppable[],
): ReadonlySet<TStep> {
  return new Set([...steps].filter((step) => !others.includes(step)));
}

/** A reply, in a form that does not depend on the API. */
export interface ShownReply {
  /** Text of the reply, without reasoning. */
  readonly text: string;
  /** True if a tool was called that the request offered. */
  readonly hasCall: boolean;
  readonly isAccepted: boolean;
  /** False if the reply was cut, withheld or interrupted. */
  readonly isWhole: boolean;
}

/** Returns what a reply shows about the step that asked for it. */
export function shownBy(step: LadderStep, { text, hasCall, isAccepted, isWhole }: ShownReply): Shown {
  if (!isWhole) return 'nothing';
  if (step === 'named' || step === 'required') {
    return hasCall ? 'shaped' : text.trim() === '' ? 'nothing' : 'ignored';
  }
  const said = text.trim();
  if (hasCall || said === '') return 'nothing';
  if (isAccepted) return OPENS_JSON.test(said) ? 'shaped' : 'nothing';
  const isBegun = OPENS_JSON.test(said) && !CLOSES_JSON.test(said);
  return isBegun || parseJson(said).success ? 'nothing' : 'ignored';
}

const OPENS_JSON = /^[{["]/u;
const CLOSES_JSON = /[}\]"]$/u;
