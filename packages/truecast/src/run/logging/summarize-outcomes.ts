/** Statistics of many outcomes: compliance, cost and duration per agent. Pure. */
import { quantileOf } from '@truecast/core/internal/statistics/median-interval';
import { estimateRate, type RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';
import { isValidOutcome, type RecordedOutcome } from './read-outcomes.ts';

/** Outcomes of one agent, model, mode and output. */
export interface OutcomeSummary {
  readonly agent: string;
  readonly model: string;
  readonly mode: string;
  /** The output's tag and the first 8 digits of the schema's hash, if they are known. */
  readonly output: string;
  readonly runs: number;
  /** Runs whose answer was validated. The others failed before they had one. */
  readonly answers: number;
  /** Share of `answers` that were valid at the first try. Undefined without answers. */
  readonly firstTry: number | undefined;
  /** The same with its 95 % interval. */
  readonly firstTryInterval: RateEstimate;
  /** Share of `answers` that were finally valid. */
  readonly afterRetries: number | undefined;
  /** Answers whose check passed on the commit that landed or was returned. */
  readonly checked: number;
  /** Number of runs per error code, without `ok`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Tokens of all kinds, over all runs that reported them. */
  readonly tokens: number;
  /** Most rules of the schema that the engine was not asked to hold in one run. */
  readonly unenforced: number;
  readonly costUsd: number | undefined;
  readonly medianMs: number | undefined;
  readonly p95Ms: number | undefined;
}

export interface OutcomeTally {
  add(outcome: RecordedOutcome): void;
  /** Returns one summary for each agent, model, mode and output, most used first. */
  summaries(): OutcomeSummary[];
}

interface Group {
  readonly key: Pick<OutcomeSummary, 'agent' | 'model' | 'mode' | 'output'>;
  readonly failures: Map<string, number>;
  readonly durationsMs: number[];
  runs: number;
  answers: number;
  firstTry: number;
  valid: number;
  checked: number;
  tokens: number;
  unenforced: number;
  costUsd: number | undefined;
}

export function createOutcomeTally(): OutcomeTally {
  const groups = new Map<string, Group>();
  return {
    add(outcome) {
      const key = keyOf(outcome);
      const id = Object.values(key).join('\0');
      const group = groups.get(id) ?? emptyGroup(key);
      groups.set(id, group);
      addTo(group, outcome);
    },
    summaries: () => [...groups.values()].map(summarize).toSorted((a, b) => b.runs - a.runs),
  };
}

function keyOf({ agent, model, mode, tag, schemaHash }: RecordedOutcome): Group['key'] {
  const output = [tag, schemaHash?.slice(0, 8)].filter((part) => part !== undefined).join('#');
  return {
    agent: agent ?? '-',
    model: model ?? '-',
    mode: mode ?? '-',
    output: output === '' ? '-' : output,
  };
}

function emptyGroup(key: Group['key']): Group {
  return {
    key,
    failures: new Map(),
    durationsMs: [],
    runs: 0,
    answers: 0,
    firstTry: 0,
    valid: 0,
    checked: 0,
    tokens: 0,
    unenforced: 0,
    costUsd: undefined,
  };
}

function addTo(group: Group, outcome: RecordedOutcome): void {
  const { code, attempts, usage, durationMs, check, unenforced = 0 } = outcome;
  group.unenforced = Math.max(group.unenforced, unenforced);
  const isValid = isValidOutcome(outcome);
  group.runs += 1;
  if (attempts > 0) group.answers += 1;
  if (isValid) group.valid += 1;
  if (isValid && attempts === 1) group.firstTry += 1;
  if (check?.verdict === 'passed') group.checked += 1;
  if (code !== 'ok') group.failures.set(code, (group.failures.get(code) ?? 0) + 1);
  if (durationMs !== undefined) group.durationsMs.push(durationMs);
  if (usage === undefined) return;
  group.tokens +=
    usage.inputTokens + usage.outputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
  if (usage.costUsd !== undefined) group.costUsd = (group.costUsd ?? 0) + usage.costUsd;
}

function summarize(group: Group): OutcomeSummary {
  const { key, runs, answers, firstTry, valid, checked, failures, tokens, unenforced, costUsd } = group;
  const { durationsMs } = group;
  const shareOf = (count: number): number | undefined => (answers === 0 ? undefined : count / answers);
  return {
    ...key,
    runs,
    answers,
    firstTry: shareOf(firstTry),
    firstTryInterval: estimateRate(firstTry, answers),
    afterRetries: shareOf(valid),
    checked,
    failures: Object.fromEntries([...failures].toSorted(([, a], [, b]) => b - a)),
    tokens,
    unenforced,
    costUsd,
    medianMs: quantileOf(durationsMs, 0.5),
    p95Ms: quantileOf(durationsMs, 0.95),
  };
}
