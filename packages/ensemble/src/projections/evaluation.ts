/** Evaluation of one contestant: answers, calls, time, tokens and wins over its runs. Pure. */
import { quantileOf } from '@truecast/core/internal/statistics/median-interval';
import { estimateRate, type RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';
import {
  addTokens,
  amountOf,
  costOfCall,
  memberOf,
  stringsOf,
  textOf,
  tokensOfCall,
  type Fold,
} from '../ledger/fold.ts';
import { foldCompliance } from './compliance.ts';

/** Measures of one contestant. */
export interface Evaluation {
  readonly runs: number;
  /** Number of runs by how they ended. */
  readonly ended: Readonly<Record<string, number>>;
  /** Answers that were valid at the first try. */
  readonly firstTry: RateEstimate;
  /** Answers that became an event in the requested form, at any try. */
  readonly valid: RateEstimate;
  readonly calls: number;
  readonly callsPerAnswer: number;
  /** Milliseconds of a call. */
  readonly callMs: { readonly median: number; readonly p95: number };
  /** Absent if no call reported its tokens. */
  readonly tokens?: number;
  /** US dollars. Absent without prices. */
  readonly costUsd?: number;
  /** Won runs by member. */
  readonly wins: Readonly<Record<string, number>>;
}

/** Folds the events of a contestant's runs. */
export function foldEvaluation(): Fold<Evaluation> {
  const compliance = foldCompliance();
  const durations: number[] = [];
  const costs: number[] = [];
  const ended = new Map<string, number>();
  const wins = new Map<string, number>();
  let tokens: number | undefined = 0;
  return {
    apply(event) {
      compliance.apply(event);
      const { kind, payload } = event;
      if (kind === 'model.called') {
        durations.push(amountOf(payload, 'duration_ms'));
        tokens = addTokens(tokens, tokensOfCall(event));
        const cost = costOfCall(event);
        if (cost !== undefined) costs.push(cost);
      }
      if (kind !== 'run.finished') return;
      add(ended, textOf(payload, 'reason') ?? '');
      for (const name of stringsOf(memberOf(payload, 'winners'))) add(wins, name);
    },
    read() {
      const rows = compliance.read();
      const sum = (name: 'answers' | 'validOnFirstTry' | 'raw' | 'skipped'): number =>
        rows.reduce((total, row) => total + row[name], 0);
      const answers = sum('answers');
      const invalid = rows.reduce((total, { raw, skipped }) => total + Math.max(raw, skipped), 0);
      return {
        runs: [...ended.values()].reduce((total, count) => total + count, 0),
        ended: Object.fromEntries(ended),
        firstTry: estimateRate(sum('validOnFirstTry'), answers),
        valid: estimateRate(answers - invalid, answers),
        calls: durations.length,
        callsPerAnswer: answers === 0 ? 0 : durations.length / answers,
        callMs: { median: quantileOf(durations, 0.5) ?? 0, p95: quantileOf(durations, 0.95) ?? 0 },
        ...(tokens !== undefined && { tokens }),
        ...(costs.length > 0 && { costUsd: costs.reduce((total, cost) => total + cost, 0) }),
        wins: Object.fromEntries(wins),
      };
    },
  };
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
