/** Reads the outcomes of runs as answers, the oldest first. */
import { setImmediate } from 'node:timers/promises';
import type { RunArchive, LoggedOutcome } from '../contract/run-archive.ts';
import {
  isCounted,
  PAGE_ROWS,
  type AnswerFilter,
  type AnswerPages,
  type EndedAnswer,
} from './ended-answer.ts';

/**
 * Reads all outcomes of the log. Without an archive, it reads nothing.
 *
 * @yields pages of those that pass the filter
 * @returns true if no older outcome is missing
 */
export async function* readRunAnswers(
  runs: Pick<RunArchive, 'outcomes'> | undefined,
  filter: AnswerFilter,
): AnswerPages {
  const outcomes = runs?.outcomes();
  if (outcomes === undefined) return true;
  for (;;) {
    const page: EndedAnswer[] = [];
    for (let read = 0; read < PAGE_ROWS; read += 1) {
      const { done, value } = await outcomes.next();
      if (done === true) {
        yield page;
        return value;
      }
      const answer = toAnswer(value);
      if (isCounted(answer, filter)) page.push(answer);
    }
    yield page;
    await setImmediate();
  }
}

function toAnswer(outcome: LoggedOutcome): EndedAnswer {
  const { atMs, isValid, attempts, agent, model, mode, tag, schemaHash, costUsd, durationMs } = outcome;
  return {
    source: 'runs',
    createdAt: atMs,
    isValid,
    isFirstTry: isValid && attempts === 1,
    attempts,
    issues: [],
    model: model ?? null,
    name: tag ?? null,
    schemaHash: schemaHash ?? null,
    agent: agent ?? null,
    mode: mode ?? null,
    costUsd,
    durationMs,
  };
}
