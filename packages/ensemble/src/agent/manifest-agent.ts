/** `manifestAgent()`: an agent built from a manifest and a model. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { EventContractOptions } from '@truecast/core/internal/event-contract/event-options';
import { completeManifest, type CompleteManifest } from '../manifest/agent-manifest.ts';
import { playersOf, type AgentScenario } from '../scenario/agent-scenario.ts';
import { formOfContest } from '../scenario/contest-form.ts';
import { climbLadder } from './answer/answer-ladder.ts';
import type { AgentAct, AgentTurn, EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { EventAnswer, EventQuestion } from './answer/event-question.ts';
import { assertAgentOptions, type ManifestAgentOptions } from './manifest-agent-options.ts';
import { agentPrompt, identityOf, type PromptFrame } from './prompt/agent-prompt.ts';
import type { Provider } from '../providers/provider.ts';
import { shownFields } from './prompt/show-event.ts';
import { choicesOf, settleVerdict, type VerdictRules } from './verdict/settle-verdict.ts';
import { withoutRepetition } from './answer/repeat-guard.ts';
import { withThought } from './answer/thought.ts';

/** Reserved for reflections, which need no grant. */
const REFLECTION = 'agent.reflected';
const VERDICT = 'judge.verdict';
const DEFAULT_PROMPT_TOKENS = 6_000;

/**
 * Creates an agent that answers each turn with one event of the grant.
 *
 * A provider with `completeStructured` is asked for a validated answer first. If that fails, the
 * received text is parsed leniently, then the model is prompted once, then its text is used as
 * speech. `provenance.rung` names the rung. A judge names a player or null. An unknown name is
 * requested again once, then the verdict is no contest. An agent with `reflectionThreshold` emits
 * `agent.reflected` after that many unreflected events.
 *
 * `act()` rejects with errors of `turn.charge`, the signal's reason, or the provider's error if
 * no text is left to use instead.
 *
 * @throws UsageError `invalid-option` for an empty grant, a handler that is not among `handlers`,
 *   or a persona that leaves no room in a prompt
 * @example
 * ```ts
 * const agent = manifestAgent({
 *   manifest: {
 *     name: 'keeper', persona: 'You keep the lighthouse.', mayEmit: ['agent.spoke'],
 *     schedule: { tickEvery: 0 }, outputExtraFields: ['mood'],
 *   },
 *   provider: stubProvider(),
 * });
 * console.log(agent.name);
 * ```
 */
export function manifestAgent(options: ManifestAgentOptions): EnsembleAgent {
  assertKind(options, 'an object', 'options', 'Pass `{ manifest, provider }`.');
  const { scenario = {}, handlers = {}, maxPromptTokens = DEFAULT_PROMPT_TOKENS } = options;
  assertKind(
    options.manifest,
    'an object',
    'manifest',
    'Pass one of `loadEnsemble()` or `parseAgentManifest()`.',
  );
  const manifest = completeManifest(options.manifest);
  assertKind(scenario, 'an object', 'scenario', 'Pass one of `loadEnsemble()`, or leave it out.');
  assertAgentOptions({ ...options, manifest, handlers, maxPromptTokens });
  const frame = {
    manifest,
    goal: scenario.goal,
    importance: options.importance ?? {},
    fieldsOf: shownFields(manifest, scenario),
    maxTokens: maxPromptTokens,
  };
  const member: Member = { manifest, provider: options.provider, scenario, frame };
  const base: EnsembleAgent = { name: manifest.name, act: (turn) => act(member, turn) };
  const handler = manifest.handler === undefined ? undefined : handlers[manifest.handler];
  return handler === undefined ? base : handler(base, options);
}

/** The constant parts of an agent. */
interface Member {
  readonly manifest: CompleteManifest;
  readonly provider: Provider;
  readonly scenario: AgentScenario;
  readonly frame: PromptFrame;
}

async function act(member: Member, turn: AgentTurn): Promise<AgentAct> {
  turn.signal.throwIfAborted();
  const { manifest } = member;
  const kinds = kindsOf(manifest, turn);
  if (isReflecting(manifest, turn, kinds)) {
    const reflected = await reflect(member, turn);
    // An agent that cannot reflect still has a turn to speak.
    if (reflected.type === 'event' || kinds.length === 0) return reflected;
  }
  return kinds.length === 0 ? { type: 'abstained' } : speak(member, turn, kinds);
}

/** A judge's last word is a verdict. */
function kindsOf({ role, mayEmit }: CompleteManifest, { isLast }: AgentTurn): readonly string[] {
  const kinds = mayEmit.filter((kind) => kind !== REFLECTION);
  return role === 'judge' && isLast && kinds.includes(VERDICT) ? [VERDICT] : kinds;
}

/** An agent with no other grant reflects on each turn, unless its threshold decides. */
function isReflecting(manifest: CompleteManifest, turn: AgentTurn, kinds: readonly string[]): boolean {
  const { reflectionThreshold } = manifest.memory;
  if (reflectionThreshold === undefined) return kinds.length === 0;
  return turn.unreflected >= reflectionThreshold && !(manifest.role === 'judge' && turn.isLast);
}

async function reflect(member: Member, turn: AgentTurn): Promise<AgentAct> {
  const contract = { allowedKinds: [REFLECTION], extraFields: [], ...limitOf(member.manifest) };
  return toAct(await climbLadder(questionOf(member, turn, { contract, notes: [REFLECT] })));
}

function limitOf({ maxTextChars }: CompleteManifest): Pick<EventContractOptions, 'maxTextChars'> {
  return maxTextChars === undefined ? {} : { maxTextChars };
}

const REFLECT = [
  'REFLECTION',
  'Speak to nobody now: say in one or two sentences what you have come to believe from all of this.',
].join('\n');

async function speak(member: Member, turn: AgentTurn, allowedKinds: readonly string[]): Promise<AgentAct> {
  const { manifest } = member;
  const extraFields = manifest.outputExtraFields;
  const verdict = verdictRules(member);
  const contract = {
    allowedKinds,
    extraFields,
    ...(verdict !== undefined && { winners: choicesOf(verdict) }),
    ...limitOf(manifest),
  };
  const notes = verdict === undefined ? [] : [verdictNote(verdict, turn)];
  const question = questionOf(member, turn, { contract, notes });
  const first = await climbLadder(question);
  const isGuarded = manifest.repeatGuard !== false && manifest.role !== 'judge';
  const answer = withThought(isGuarded ? await withoutRepetition(first, question) : first, contract);
  if (answer.type === 'skipped' || verdict === undefined) return toAct(answer);
  return toAct(await settleVerdict(answer, question, verdict));
}

/** Only a judge of a competition is limited to its players. */
function verdictRules({ manifest, scenario }: Member): VerdictRules | undefined {
  const { competition = { kind: 'none' } } = scenario;
  if (manifest.role !== 'judge' || competition.kind === 'none') return undefined;
  return { form: formOfContest(competition), players: playersOf(scenario) };
}

function verdictNote({ form, players }: VerdictRules, { isLast }: AgentTurn): string {
  const teams = form.type === 'debate' ? Object.entries(form.teams) : [];
  return [
    'VERDICT',
    `The players: ${players.join(' | ')}.`,
    ...teams.map(([label, members]) => `The team ${label}: ${members.join(' | ')}.`),
    ...(form.type === 'accusation' ? ['`winner` is the player whom you accuse.'] : []),
    ...(form.type === 'debate' ? ['`winner` is the team that has won.'] : []),
    ...(isLast ? ['This is the last turn: rule now.'] : []),
  ].join('\n');
}

function questionOf(
  { manifest, provider, frame }: Member,
  turn: AgentTurn,
  { contract, notes }: { readonly contract: EventContractOptions; readonly notes: readonly string[] },
): EventQuestion {
  return {
    turn,
    provider,
    contract,
    system: identityOf(manifest),
    promptFor: (path, more = []) => agentPrompt(turn, frame, { path, contract, notes: [...notes, ...more] }),
  };
}

/** The kind belongs to the event, the other fields are its payload. */
function toAct(answer: EventAnswer): AgentAct {
  if (answer.type === 'skipped') return answer;
  const { provenance, model } = answer;
  const { kind, ...payload } = answer.payload;
  return { type: 'event', kind, payload, provenance, model };
}
