/** Way on from a failure: its question again, with the same or another model. */
import type { ReactNode } from 'react';
import { RunAgain } from '../question/run-again.tsx';
import { askedIn } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';

/** Renders the controls of a turn that failed, or nothing for a turn without a typed answer. */
export function FailedQuestion({ turn }: { readonly turn: TranscriptTurn }): ReactNode {
  const question = askedIn(turn);
  if (question === undefined) return null;
  return (
    <RunAgain question={question} model={turn.steps.findLast(({ model }) => model !== undefined)?.model} />
  );
}
