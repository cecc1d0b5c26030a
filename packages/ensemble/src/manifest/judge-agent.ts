/** Semantic validation of one agent manifest. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { PROTOTYPE_KEYS } from '@truecast/core/internal/event-contract/event-options';
import type { CompleteManifest } from './agent-manifest.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import type { Sourced, YamlSource } from './yaml-source.ts';

/** Names defined in code that manifests can refer to. */
export interface KnownCode {
  /** Names of handlers. @default [] */
  readonly handlers?: readonly string[];
}

/** Kinds that only the engine appends. */
export const ENGINE_KIND: RegExp =
  /^(?:run\..*|agent\.(?:failed|skipped|abstained)|model\.called|tool\.called|user\.injected)$/u;
/** Actors that are not agents. */
const ENGINE_ACTORS: ReadonlySet<string> = new Set(['conductor', 'visitor']);
/** Fields set by code. A model that could write them would judge itself. */
const STAMPED_FIELDS: ReadonlySet<string> = new Set(['correct', 'no_contest', 'accused']);

/** Returns the problems of one agent, apart from its structure. */
export function judgeAgent(
  { manifest: agent, source, isIntact }: Sourced<CompleteManifest>,
  { handlers = [] }: KnownCode,
): readonly ManifestProblem[] {
  const kinds = agent.subscribesTo.map((subscription) => JSON.stringify(subscription));
  const canWake = isIntact('role', 'subscribes_to', 'schedule');
  // The other lists are empty if they are not intact.
  return [
    ...reservedName(agent, source),
    ...agent.mayEmit.flatMap((kind, index) => engineKind(kind, index, source)),
    ...doubled(agent.mayEmit, 'may_emit', source),
    ...doubled(kinds, 'subscribes_to', source),
    ...doubled(agent.outputExtraFields, 'output_extra_fields', source),
    ...(isIntact('output_extra_fields') ? unknownFields(agent, source) : []),
    ...agent.outputExtraFields.flatMap((field, index) => reservedField(field, index, source)),
    ...unknownNames(agent.handler === undefined ? [] : [agent.handler], handlers, {
      noun: 'handler',
      problem: (_, message, hint) => source.problem(['handler'], message, { hint }),
    }),
    ...(canWake ? neverActs(agent, source) : []),
  ];
}

function engineKind(kind: string, index: number, source: YamlSource): ManifestProblem[] {
  if (!ENGINE_KIND.test(kind)) return [];
  const message = `\`${kind}\` is written by the engine alone.`;
  return [source.problem(['may_emit', index], message, { hint: 'Remove it from the grant.' })];
}

function reservedName({ name }: CompleteManifest, source: YamlSource): ManifestProblem[] {
  if (!ENGINE_ACTORS.has(name.toLowerCase())) return [];
  return [
    source.problem(['name'], `\`${name}\` is the engine's own actor.`, { hint: 'Choose another name.' }),
  ];
}

function reservedField(field: string, index: number, source: YamlSource): ManifestProblem[] {
  const place = ['output_extra_fields', index];
  if (STAMPED_FIELDS.has(field)) {
    const message = `\`${field}\` is written by code alone.`;
    return [source.problem(place, message, { hint: 'Declare `winner`; the engine derives the rest.' })];
  }
  if (field !== 'kind' && field !== 'text' && !field.startsWith('_') && !PROTOTYPE_KEYS.has(field)) return [];
  const hint = '`kind` and `text` are always there; other names must not begin with `_`.';
  return [source.problem(place, `\`${field}\` is a reserved field.`, { hint })];
}

function unknownFields(
  { publicFields = [], outputExtraFields }: CompleteManifest,
  source: YamlSource,
): ManifestProblem[] {
  return unknownNames(publicFields, outputExtraFields, {
    noun: 'entry of `output_extra_fields`',
    problem: (index, message, hint) => source.problem(['public_fields', index], message, { hint }),
  });
}

function neverActs(
  { role, subscribesTo, schedule }: CompleteManifest,
  source: YamlSource,
): ManifestProblem[] {
  // A judge needs neither: it has the last word at the end of a run.
  if (role === 'judge' || subscribesTo.length > 0 || schedule.tickEvery !== undefined) return [];
  const message = 'No event or schedule wakes this agent.';
  return [source.problem([], message, { hint: 'Give it `subscribes_to` or `schedule.tick_every`.' })];
}

/** Returns a problem for each duplicate entry of a list. */
export function doubled(entries: readonly string[], key: string, source: YamlSource): ManifestProblem[] {
  return entries.flatMap((entry, index) => {
    if (entries.indexOf(entry) === index) return [];
    return [source.problem([key, index], `\`${key}\` contains this twice.`, { hint: 'Remove one.' })];
  });
}

interface UnknownNames {
  readonly noun: string;
  readonly problem: (index: number, message: string, hint: string) => ManifestProblem;
}

/** Returns a problem for each unknown name. */
function unknownNames(
  names: readonly string[],
  known: readonly string[],
  { noun, problem }: UnknownNames,
): ManifestProblem[] {
  return names.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const list = known.length === 0 ? 'There is none.' : `Known: ${known.join(', ')}.`;
    return [problem(index, `\`${name}\` is not a known ${noun}.`, suggest(name, known) ?? list)];
  });
}
