/** Validation of subscriptions: kinds that are emitted, and fields that their events have. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import { ENGINE_KIND } from './judge-agent.ts';
import type { CompleteManifest } from './agent-manifest.ts';
import { suggest } from '@truecast/core/internal/options/suggest';
import type { Sourced } from './yaml-source.ts';

/** Kinds that need no grant of an agent in the folder. */
const OTHER_KINDS: ReadonlySet<string> = new Set(['agent.reflected', 'world.observed']);
/** Fields that code adds to verdicts. */
const VERDICT_FIELDS = ['accused', 'correct', 'no_contest'];

/** Returns a problem for each subscription that no event can match. An unknown grant matches all. */
export function judgeSubscriptions(agents: readonly Sourced<CompleteManifest>[]): readonly ManifestProblem[] {
  if (!agents.every(({ isIntact }) => isIntact('may_emit'))) return [];
  const hasFields = agents.every(({ isIntact }) => isIntact('output_extra_fields', 'handler'));
  const manifests = agents.map(({ manifest }) => manifest);
  const emitted = [...new Set(manifests.flatMap(({ mayEmit }) => mayEmit))];
  return agents.flatMap(({ manifest, source }) =>
    manifest.subscribesTo.flatMap((subscription, index): readonly ManifestProblem[] => {
      const { kind, when = {} } = typeof subscription === 'string' ? { kind: subscription } : subscription;
      const path = ['subscribes_to', index];
      if (!emitted.includes(kind) && !OTHER_KINDS.has(kind) && !ENGINE_KIND.test(kind)) {
        const hint = suggest(kind, emitted) ?? `Emitted: ${emitted.join(', ')}.`;
        return [source.problem(path, `No agent of this folder emits \`${kind}\`.`, { hint })];
      }
      if (!hasFields) return [];
      return Object.entries(when).flatMap(([field, value]) => {
        const message = whyNever(manifests, { kind, field, value });
        return message === undefined ? [] : [source.problem([...path, 'when', field], ...message)];
      });
    }),
  );
}

interface Condition {
  readonly kind: string;
  readonly field: string;
  readonly value: string | number | boolean | null;
}

/** The message and place of a condition that no event fulfils. */
function whyNever(
  agents: readonly CompleteManifest[],
  { kind, field, value }: Condition,
): readonly [string, { readonly at: 'key' | 'value'; readonly hint: string }] | undefined {
  // Code can append any field to the engine's kinds and to those without an emitting manifest.
  const emitting = agents.filter(({ mayEmit, handler }) => mayEmit.includes(kind) && handler === undefined);
  if (emitting.length === 0 || agents.some((agent) => agent.handler !== undefined)) return undefined;
  const declared = emitting.flatMap(({ outputExtraFields }) => outputExtraFields);
  const known = [...new Set(['text', ...declared, ...(kind === 'judge.verdict' ? VERDICT_FIELDS : [])])];
  if (!known.includes(field)) {
    const hint = suggest(field, known) ?? `Fields: ${known.join(', ')}.`;
    return [`No \`${kind}\` has the field \`${field}\`.`, { at: 'key', hint }];
  }
  const isString = !VERDICT_FIELDS.includes(field) && field !== 'winner' && field !== 'scores';
  if (!isString || typeof value === 'string') return undefined;
  const hint = `Write it in quotation marks: "${String(value)}".`;
  return [`\`${field}\` is a string, and is never ${String(value)}.`, { at: 'value', hint }];
}
