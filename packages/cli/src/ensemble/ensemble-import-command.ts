/**
 * `truecast ensemble import`: appends the events of a run that `replay --json` has printed, with
 * their ids and times.
 */
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { CONDUCTOR, VISITOR } from '@truecast/ensemble/internal/ledger/event-kinds';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { openLedger } from '@truecast/ensemble/internal/ledger/open-ledger';
import { readChosenFile } from 'truecast/internal/support/open-chosen-file';
import { printLine, printResult, tell, type Terminal } from '../terminal/print.ts';
import type { LedgerFlags } from './with-ledger.ts';

const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** Schema of the envelope. The ledger checks kinds, grants and payloads. */
const EVENT = z.looseObject({
  id: z.string(),
  runId: z.string(),
  turn: z.number(),
  kind: z.string(),
  actor: z.string(),
  payload: z.record(z.string(), z.unknown()),
  createdAt: z.iso.datetime(),
});

export interface EnsembleImportFlags extends LedgerFlags {
  readonly json?: boolean;
}

/** Imports the file. A run that exists with the same events stays unchanged. */
export async function ensembleImportCommand(
  path: string,
  { databaseUrl, json = false }: EnsembleImportFlags,
  terminal: Terminal,
): Promise<void> {
  const events = await readEvents(path);
  let nowMs = 0;
  await using ledger = await openLedger({
    cast: castOf(events),
    clock: () => nowMs,
    ...(databaseUrl !== undefined && { url: databaseUrl }),
  });
  for (const { actor, createdAt, offset: _offset, schemaVersion: _version, ...draft } of events) {
    nowMs = Date.parse(createdAt);
    await ledger.as(actor).append(draft);
  }
  const runIds = [...new Set(events.map(({ runId }) => runId))];
  if (json) await printResult({ runIds }, terminal);
  else for (const runId of runIds) printLine(runId, terminal);
  tell(`Imported ${events.length} events.`, terminal, 'good');
}

async function readEvents(path: string): Promise<readonly LedgerEvent[]> {
  const text = await readChosenFile(path, MAX_FILE_BYTES).catch((cause: unknown) => {
    throw new UsageError(
      `Expected the file of a run, got \`${path}\`, which cannot be read. Write one with \`truecast ensemble replay RUN --json --quiet\`.`,
      { cause },
    );
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 0) return lines.map(readEvent);
  throw new UsageError(`Expected \`${path}\` to contain an event per line, got none. Check the file.`);
}

function readEvent(line: string, index: number): LedgerEvent {
  const parsed = parseJson(line);
  const isEvent = parsed.success && EVENT.safeParse(parsed.value).success;
  // The ledger checks the rest.
  if (isEvent) return parsed.value as LedgerEvent;
  throw new UsageError(
    `Line ${index + 1} is not an event of a run. Write the file with \`truecast ensemble replay RUN --json --quiet\`.`,
  );
}

/** Each member with the kinds that it has emitted. */
function castOf(events: readonly LedgerEvent[]): { readonly name: string; readonly mayEmit: string[] }[] {
  const spoken = events.filter(({ actor }) => actor !== CONDUCTOR && actor !== VISITOR);
  const members = Map.groupBy(spoken, ({ actor }) => actor);
  return [...members].map(([name, own]) => ({ name, mayEmit: [...new Set(own.map(({ kind }) => kind))] }));
}
