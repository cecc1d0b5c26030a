/** Converts a run's events to the lines of its page. Pure. */
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import type { RunSummary } from '@truecast/ensemble/internal/ledger/run-index';
import { labelAnswer, scoreText } from './answer-label.ts';
import type { ReplayLine, ReplayRun } from './replay-page.ts';

/** Kinds without text for an audience. */
const SILENT: ReadonlySet<string> = new Set(['run.started', 'run.closing', 'run.finished', 'model.called']);

export function toReplayRun(
  { scenario, cast, seed, end }: RunSummary,
  events: readonly LedgerEvent[],
  title: string | undefined,
): ReplayRun {
  const models = [...new Set(cast.map(({ model }) => model))];
  const only = models.length === 1 ? models[0] : undefined;
  const goal = events.find(({ kind }) => kind === 'run.started')?.payload['goal'];
  return {
    title: title ?? scenario,
    goal: typeof goal === 'string' ? goal : '',
    facts: [`Seed: ${seed}`, ...(only === undefined ? [] : [`All played by ${only}`])].join(' · '),
    cast: cast.map((member) => (only === undefined ? member : { ...member, model: '' })),
    lines: events.filter(({ kind }) => !SILENT.has(kind)).map(toLine),
    ending:
      end === undefined ? 'The run is open.' : `Ended by ${end.reason}. Winner: ${end.winner ?? 'none'}.`,
  };
}

function toLine({ turn, actor, kind, payload, provenance }: LedgerEvent): ReplayLine {
  const { text, agent, message, reason, ...others } = payload;
  const fields = Object.entries(others).filter(([name, value]) => !name.startsWith('_') && value !== null);
  const words = [text, message, reason].find((value): value is string => typeof value === 'string');
  return {
    turn,
    actor: typeof agent === 'string' ? agent : actor,
    kind,
    text: words ?? '',
    fields: Object.fromEntries(
      fields
        .map(([name, value]) => [name, fieldText(name, value)] as const)
        .filter(([, shown]) => shown !== ''),
    ),
    how: provenance === undefined ? '' : labelAnswer(provenance).words,
  };
}

function fieldText(name: string, value: unknown): string {
  if (name === 'scores') return scoreText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
