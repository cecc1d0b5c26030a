/** `truecast ensemble list`: the scenarios of a folder. */
import { printResult, printText, type Terminal, columnsFor } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';
import { loadFolder } from './with-ledger.ts';

export interface EnsembleListFlags {
  readonly dir?: string;
  readonly json?: boolean;
}

/** Prints the scenarios, by name. */
export async function ensembleListCommand(
  { dir, json }: EnsembleListFlags,
  terminal: Terminal,
): Promise<void> {
  const { scenarios } = await loadFolder(dir);
  const rows = [...scenarios.values()].map(({ name, title, goal, cast, competition }) => ({
    name,
    title,
    goal,
    cast,
    competition: competition.kind,
  }));
  if (json === true) return await printResult(rows, terminal);
  const lines = rows.map(({ name, title, cast, competition, goal }) => [
    name,
    title,
    String(cast.length),
    competition,
    goal,
  ]);
  const table = renderTable([['scenario', 'title', 'cast', 'competition', 'goal'], ...lines], {
    rightAligned: [2],
    columns: columnsFor(terminal.stdout),
    droppable: [4, 3, 2],
  });
  printText(`${table}\n`, terminal);
}
