/** Figures below the compared answers: attempts, time, tokens and cost. Pure. */
import { countText, duration, money } from '../parts/format.ts';
import type { ComparedAnswer } from './compared.ts';

/** One figure of all answers. */
export interface FigureRow {
  readonly name: string;
  readonly cells: readonly FigureCell[];
}

export interface FigureCell {
  readonly text: string;
  /** Share of the largest one. Undefined without a bar. */
  readonly share?: number;
  /** True for the lowest of the valid answers, if their texts differ. */
  readonly isBest: boolean;
}

/** Returns the figures that an answer has, and then further facts. */
export function figuresOf(answers: readonly ComparedAnswer[]): readonly FigureRow[] {
  const facts = [...new Set(answers.flatMap(({ facts: own }) => Object.keys(own)))];
  return [
    numbers('Attempts', answers, ({ attempts }) => attempts, countText),
    numbers('Time', answers, ({ durationMs }) => durationMs, duration),
    numbers('Tokens', answers, ({ tokens }) => tokens, countText),
    numbers('Cost', answers, ({ costUsd }) => costUsd, money),
    ...facts.map((name) => ({
      name,
      cells: answers.map(({ facts: own }) => ({ text: own[name] ?? '–', isBest: false })),
    })),
  ].filter(({ cells }) => cells.some(({ text }) => text !== '–'));
}

function numbers(
  name: string,
  answers: readonly ComparedAnswer[],
  numberOf: (answer: ComparedAnswer) => number | undefined,
  format: (value: number) => string,
): FigureRow {
  const values = answers.map(numberOf);
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  const valid = answers.flatMap((answer, index) => (answer.state === 'valid' ? (values[index] ?? []) : []));
  const lowest = Math.min(...valid);
  const differ = new Set(valid.map(format)).size > 1;
  return {
    name,
    cells: answers.map(({ state }, index) => {
      const value = values[index];
      if (value === undefined) return { text: '–', isBest: false };
      return {
        text: format(value),
        share: highest === 0 ? 0 : value / highest,
        isBest: differ && state === 'valid' && format(value) === format(lowest),
      };
    }),
  };
}
