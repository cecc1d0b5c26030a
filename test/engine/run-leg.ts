/** One leg of the proof: asks each case with each seed, and counts what came. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../packages/core/src/kit/is-record.ts';
import { NotExpressible, type Asker } from './askers/asker.ts';
import type { CountingProxy } from './counting-proxy.ts';
import type { FormCase } from './form-cases.ts';
import { judgeOf } from './validators.ts';

/** Counted results of one asker. */
export interface LegResult {
  readonly id: string;
  readonly title: string;
  /** Answers that the library could ask for. */
  readonly asked: number;
  /** Values that both other validators accept. */
  readonly accepted: number;
  /** Values that were returned, and that one of them refuses. */
  readonly wrong: number;
  /** Accepted with one call. */
  readonly first: number;
  readonly calls: number;
  readonly tokens: number;
  /** Replies that reached the token limit. */
  readonly cut: number;
  /** Right answers, of those whose right answer is known. */
  readonly right: number;
  readonly known: number;
  readonly seconds: number;
  /** Names of the cases that got no accepted value, with how often. */
  readonly lost: ReadonlyMap<string, number>;
}

/** What a leg asks. */
export interface LegPlan {
  readonly forms: readonly FormCase[];
  readonly seeds: number;
  /** @default 1 */
  readonly firstSeed?: number;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Tokens of one reply. @default 300 */
  readonly maxTokens?: number;
  /** Called after each schema with the counts so far, because a run of all legs takes hours. */
  onCounted?(counts: LegCounts): void;
}

/** Counts of a leg that still runs. */
export type LegCounts = Omit<LegResult, 'id' | 'title' | 'seconds' | 'lost'>;

/** Runs the leg. */
export async function runLeg(asker: Asker, proxy: CountingProxy, plan: LegPlan): Promise<LegResult> {
  const { seeds, firstSeed = 1, model, apiKey, maxTokens } = plan;
  const open = await asker.open({ url: proxy.url, model, apiKey, maxTokens });
  // Opening can ask too: for the window, or for what the engine holds.
  proxy.take();
  const sums = { asked: 0, accepted: 0, wrong: 0, first: 0, calls: 0, tokens: 0, cut: 0, right: 0, known: 0 };
  const lost = new Map<string, number>();
  const startedAt = performance.now();
  try {
    for (const form of asker.forms ?? plan.forms) {
      const judge = judgeOf(form);
      for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
        const answer = await answerOf(() => open.ask(form, seed));
        const { calls, tokens, cut } = proxy.take();
        if (answer.type === 'not-expressible') continue;
        const isAccepted = answer.type === 'value' && (await judge(answer.value));
        const isRight = isAccepted && form.right !== undefined && holds(answer.value, form.right);
        sums.asked += 1;
        sums.accepted += Number(isAccepted);
        sums.wrong += Number(answer.type === 'value' && !isAccepted);
        sums.first += Number(isAccepted && calls === 1);
        sums.calls += calls;
        sums.tokens += tokens;
        sums.cut += cut;
        sums.right += Number(isRight);
        sums.known += Number(form.right !== undefined);
        if (!isAccepted) lost.set(form.name, (lost.get(form.name) ?? 0) + 1);
      }
      plan.onCounted?.({ ...sums });
    }
  } finally {
    await open.close?.();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { id: asker.id, title: asker.title, ...sums, seconds, lost };
}

type Answered =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'none' }
  | { readonly type: 'not-expressible' };

async function answerOf(ask: () => Promise<unknown>): Promise<Answered> {
  try {
    return { type: 'value', value: await ask() };
  } catch (error) {
    return { type: error instanceof NotExpressible ? 'not-expressible' : 'none' };
  }
}

/** Returns true if each known member of the answer is right. */
function holds(value: unknown, right: Readonly<Record<string, unknown>>): boolean {
  return isRecord(value) && Object.entries(right).every(([key, each]) => isDeepStrictEqual(value[key], each));
}

/** Adds the counts of two runs of one asker. */
export function addLegs(one: LegResult | undefined, other: LegResult): LegResult {
  if (one === undefined) return other;
  const lost = new Map(one.lost);
  for (const [name, times] of other.lost) lost.set(name, (lost.get(name) ?? 0) + times);
  const sum = (key: Exclude<keyof LegResult, 'id' | 'title' | 'lost'>): number => one[key] + other[key];
  return {
    id: one.id,
    title: one.title,
    asked: sum('asked'),
    accepted: sum('accepted'),
    wrong: sum('wrong'),
    first: sum('first'),
    calls: sum('calls'),
    tokens: sum('tokens'),
    cut: sum('cut'),
    right: sum('right'),
    known: sum('known'),
    seconds: sum('seconds'),
    lost,
  };
}

/** The table, as Markdown. Seconds say nothing on a busy machine, so they can be left out. */
export function legTable(
  results: readonly LegResult[],
  { hasSeconds }: { readonly hasSeconds: boolean },
): string {
  const heads = ['who asks', 'accepted', 'wrong', 'first call', 'calls', 'tokens', 'at the limit', 'right'];
  const rows = results.map((result) => [
    result.title,
    `${result.accepted} of ${result.asked}`,
    String(result.wrong),
    String(result.first),
    String(result.calls),
    String(result.tokens),
    String(result.cut),
    `${result.right} of ${result.known}`,
    ...(hasSeconds ? [result.seconds.toFixed(0)] : []),
  ]);
  const all = [[...heads, ...(hasSeconds ? ['seconds'] : [])], heads.map(() => '---'), ...rows];
  if (hasSeconds) all[1]?.push('---');
  return all.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
