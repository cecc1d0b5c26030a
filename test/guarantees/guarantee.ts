/**
 * Declares the tests of one guarantee: one for each cell of the table that is held or open. The short form of the matrix
 * tries a third of those that start programs. Cells of podman run in the long suite. With `TRUECAST_OPEN_CELLS=run`,
 * the tests of open cells show why they fail.
 */
import { describe, expect, it } from 'vitest';
import { itInBubblewrap, runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns, triesColumn, type MatrixOptions } from '../matrix.ts';
import { CELLS } from './table/cells.ts';
import { GUARANTEES, ROUTES, type Cell, type GuaranteeId, type Route } from './table/guarantees.ts';

/** The test of one cell. */
export interface CellTest {
  readonly needsBubblewrap?: boolean;
  play(): Promise<void> | void;
}

/** The tests of a guarantee by route. Others of its cells need none. */
export type CellTests = Partial<Record<Route, CellTest['play'] | CellTest>>;

/** Routes whose tests run now. The suite of containers selects its own. */
const selection: { routes: readonly Route[] } = { routes: ROUTES.filter((route) => route !== 'run/podman') };

/** A cell of podman takes 6 s of processor time. Its code is that of bubblewrap but for the sandbox. */
const IN_PODMAN: MatrixOptions = { rows: 8, stride: 8 };
/** Guarantees of podman that were declared. */
let ofPodman = 0;

/** Declares only the cells of these routes from now on. */
export function selectRoutes(routes: readonly Route[]): void {
  selection.routes = routes;
}

/** Marks a test that needs bubblewrap, whatever its route. */
export function inBubblewrap(play: CellTest['play']): CellTest {
  return { needsBubblewrap: true, play };
}

/** Declares the tests. */
export function declareGuarantee(id: GuaranteeId, tests: CellTests): void {
  if (!selection.routes.some((route) => testedRoutes(id).includes(route)) || isLeftOut()) return;
  describe(`${id}: ${GUARANTEES[id]}`, () => {
    if (selection.routes.length > 1) {
      it('has a test for each cell that is held or open, and for no other', () => {
        expect(Object.keys(tests).toSorted()).toEqual(testedRoutes(id).toSorted());
      });
    }
    for (const route of triedRoutes(id)) declareCell(`${id} ${route}`, CELLS[id][route], tests[route]);
  });
}

/** Routes that start no program: a cell takes a tenth of the time of the others. */
const WITHOUT_PROGRAMS: readonly Route[] = ['generate', 'ensemble', 'chat', 'wire'];

/**
 * Returns the routes that the form tries: in the short form those without programs and a third of the others, other
 * ones for the next guarantee, and at least one.
 */
function triedRoutes(id: GuaranteeId): readonly Route[] {
  if (selection.routes.length === 1) return selection.routes;
  const routes = testedRoutes(id).filter((route) => selection.routes.includes(route));
  const ids = Object.keys(GUARANTEES);
  const started = routes.filter((route) => !WITHOUT_PROGRAMS.includes(route));
  const inTurns = matrixColumns(ids.indexOf(id), started, { rows: ids.length });
  const tried = routes.filter((route) => WITHOUT_PROGRAMS.includes(route) || inTurns.includes(route));
  return tried.length > 0 ? tried : routes.slice(0, 1);
}

/** Returns true for a guarantee of podman that the short form of the matrix does not try. */
function isLeftOut(): boolean {
  if (selection.routes.length > 1) return false;
  ofPodman += 1;
  return !triesColumn(0, ofPodman, IN_PODMAN);
}

/** Returns the routes whose cells have a test. */
export function testedRoutes(id: GuaranteeId): readonly Route[] {
  return ROUTES.filter((route) => titleOf(CELLS[id][route]) !== undefined);
}

function titleOf(cell: Cell): string | undefined {
  if ('held' in cell) return cell.held;
  return 'open' in cell ? cell.open : undefined;
}

function declareCell(name: string, cell: Cell, test: CellTests[Route]): void {
  const title = titleOf(cell);
  if (title === undefined || test === undefined) return;
  const { play, needsBubblewrap = name.endsWith('run/bubblewrap') } =
    typeof test === 'function' ? { play: test } : test;
  if (needsBubblewrap && !runsBubblewrap) itInBubblewrap(`${name}: ${title}`, play);
  else if ('open' in cell && process.env['TRUECAST_OPEN_CELLS'] !== 'run') {
    it.fails(`${name}: ${title}`, play);
  } else it(`${name}: ${title}`, play);
}
