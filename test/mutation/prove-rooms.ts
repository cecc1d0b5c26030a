/**
 * Command of the mutants: `npm run proof:mutants -- ROOM…` changes one token of a room at a time and runs its
 * suites. Exits with 1 if they notice fewer than 80 % in one room.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { randomNumbers, shuffled } from '../../packages/core/src/statistics/median-interval.ts';
import { makeMutants, suitesOf, type Mutant } from './make-mutants.ts';
import { ROOMS, type RoomName } from './rooms.ts';
import { fateOf, isMessage, isRoom, keepScore, LOWEST_SCORE, sharesOf, type Score } from './scores.ts';
import { diesAtLoad, tryMutants, type Verdicts } from './try-mutants.ts';

const USAGE = `Usage: npm run proof:mutants -- [ROOM…] [--files TEXT] [--sample N] [--loaded N] [--seed N]
Rooms: ${Object.keys(ROOMS).join(', ')}. Without a name, all of them.
  --files   only sources whose path contains this text: for work on one file; no score is kept
  --sample  tries N mutants of the room, chosen at random; all of them without it
  --loaded  tries N of the mutants that work while modules are loaded (default 20)
  --seed    of both samples (default 1)`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Options {
  readonly files: string | undefined;
  readonly sample: number;
  readonly loaded: number;
  readonly seed: number;
}

/** Tries one room, and returns its score. */
async function proveRoom(name: RoomName, options: Options): Promise<Score> {
  const folder = mkdtempSync(join(tmpdir(), 'truecast-mutation-'));
  try {
    const { mutants, instrumented } = await makeMutants(ROOMS[name], folder);
    const made = mutants.filter(({ file }) => options.files === undefined || file.includes(options.files));
    const random = randomNumbers(options.seed);
    const chosen = options.sample < made.length ? shuffled(made, random).slice(0, options.sample) : made;
    const suites = suitesOf(ROOMS[name]);
    const plan = { tests: [...suites], instrumented };
    say(`${name}: ${chosen.length} of ${made.length} mutants, ${suites.length} suites`);
    const verdicts = await tryMutants({ ...plan, mutants: chosen.map(({ id }) => id) }, folder, say);
    const loaded = chosen.filter((mutant) => fateOf(mutant, verdicts) === 'loaded');
    const tried = shuffled(loaded, random).slice(0, options.loaded);
    const dead = new Set<Mutant>();
    for (const mutant of tried) {
      if (await diesAtLoad({ ...plan, mutants: [], always: mutant.id }, folder)) dead.add(mutant);
    }
    list(chosen, verdicts, tried, dead);
    return await toScore(name, made.length, chosen, verdicts, {
      made: loaded.length,
      tried: tried.length,
      killed: dead.size,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lists what no test noticed. */
function list(
  chosen: readonly Mutant[],
  verdicts: Verdicts,
  tried: readonly Mutant[],
  dead: ReadonlySet<Mutant>,
): void {
  for (const mutant of chosen) {
    const fate = fateOf(mutant, verdicts);
    if (fate === 'killed' || dead.has(mutant) || (fate === 'loaded' && !tried.includes(mutant))) continue;
    const { file, line, kind, original, replacement } = mutant;
    const mark = isMessage(mutant) ? ' (message)' : '';
    say(`${fate}${mark} ${file}:${line} ${kind}: ${oneLine(original)} => ${oneLine(replacement)}`);
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').slice(0, 160);

async function toScore(
  room: RoomName,
  made: number,
  chosen: readonly Mutant[],
  verdicts: Verdicts,
  loaded: Score['loaded'],
): Promise<Score> {
  const fates = chosen.map((mutant) => ({ fate: fateOf(mutant, verdicts), isText: isMessage(mutant) }));
  const ofTests = fates.filter(({ fate }) => fate !== 'loaded');
  const texts = ofTests.filter(({ isText }) => isText);
  const count = (of: typeof fates, wanted: string): number => of.filter(({ fate }) => fate === wanted).length;
  const { stdout } = await execa('git', ['describe', '--always', '--dirty=+', '--exclude=*']);
  return {
    room,
    date: new Date().toISOString().slice(0, 10),
    commit: stdout,
    made,
    tried: ofTests.length,
    killed: count(ofTests, 'killed'),
    survived: count(ofTests, 'survived'),
    notReached: count(ofTests, 'not reached'),
    messages: { tried: texts.length, killed: count(texts, 'killed') },
    loaded,
  };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string' },
    sample: { type: 'string' },
    loaded: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const names = positionals.length === 0 ? (Object.keys(ROOMS) as RoomName[]) : positionals.filter(isRoom);
const options: Options = {
  files: values.files,
  sample: values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample),
  loaded: Number(values.loaded),
  seed: Number(values.seed),
};
const isUnderstood =
  (positionals.length === 0 || names.length === positionals.length) &&
  [options.sample, options.loaded, options.seed].every((value) => value >= 0);
if (!isUnderstood) say(USAGE);
for (const name of isUnderstood ? names : []) {
  const score = await proveRoom(name, options);
  const { score: share, all } = sharesOf(score);
  say(
    `${name}: ${(share * 100).toFixed(1)} %, with messages ${(all * 100).toFixed(1)} %: ${JSON.stringify(score)}`,
  );
  if (options.files === undefined) keepScore(score);
  if (share < LOWEST_SCORE) process.exitCode = 1;
}
if (!isUnderstood) process.exitCode = 1;
