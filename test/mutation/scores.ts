/** Scores of the rooms: what the suites noticed, kept in `scores.json` and shown in a page. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Mutant } from './make-mutants.ts';
import { ROOMS, type RoomName } from './rooms.ts';
import type { Verdicts } from './try-mutants.ts';

const FILE = join(import.meta.dirname, 'scores.json');
const PAGE = join(import.meta.dirname, '../../docs/contributing/mutants.md');

const scoreSchema = z.strictObject({
  room: z.string(),
  date: z.string(),
  commit: z.string(),
  /** Mutants that the instrumenter made, and those that were tried. */
  made: z.number(),
  tried: z.number(),
  /** Noticed by a test, or by a loop that had no end. */
  killed: z.number(),
  survived: z.number(),
  /** No test reaches them. They count as survived. */
  notReached: z.number(),
  /** Of the tried ones, those that change the text of a message. */
  messages: z.strictObject({ tried: z.number(), killed: z.number() }),
  /** Mutants that work while modules are loaded. Each needs a process, so a sample is tried. */
  loaded: z.strictObject({ made: z.number(), tried: z.number(), killed: z.number() }),
});
/** Result of one room. */
export type Score = z.infer<typeof scoreSchema>;

/** Lowest share of mutants that the suites of a room have to notice, messages left out. */
export const LOWEST_SCORE = 0.8;

/** What became of one mutant. */
export type Fate = 'killed' | 'survived' | 'not reached' | 'loaded';

export function fateOf({ id }: Mutant, verdicts: Verdicts): Fate {
  if (verdicts.killed.has(id) || verdicts.timedOut.has(id)) return 'killed';
  if (verdicts.reached.has(id)) return 'survived';
  return verdicts.loaded.has(id) ? 'loaded' : 'not reached';
}

/** True for a text that is written for a person: two words with a space between them. */
export function isMessage({ kind, original }: Mutant): boolean {
  return kind === 'StringLiteral' && /\p{L}[\p{L}.,:;`]* [\p{L}`$]/u.test(original);
}

/** Share of noticed mutants, without those of messages, and with them. */
export function sharesOf({ tried, killed, messages }: Score): {
  readonly score: number;
  readonly all: number;
} {
  const [others, noticed] = [tried - messages.tried, killed - messages.killed];
  return { score: others === 0 ? 1 : noticed / others, all: tried === 0 ? 1 : killed / tried };
}

export function readScores(): readonly Score[] {
  return existsSync(FILE) ? z.array(scoreSchema).parse(JSON.parse(readFileSync(FILE, 'utf8'))) : [];
}

/** Keeps the last score of each room, and writes the table of the page. */
export function keepScore(score: Score): void {
  const names = Object.keys(ROOMS);
  const kept = [...readScores().filter(({ room }) => room !== score.room), score].toSorted(
    (one, other) => names.indexOf(one.room) - names.indexOf(other.room),
  );
  writeFileSync(FILE, `${JSON.stringify(kept, undefined, 2)}\n`);
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, () => `${BEGIN}\n${tableOf(kept)}\n${END}`),
  );
}

const BEGIN = '<!-- scores of the rooms -->';
const END = '<!-- end of scores -->';
const TABLE = new RegExp(`${BEGIN}[^]*${END}`, 'u');

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** The table of the page. */
export function tableOf(scores: readonly Score[]): string {
  const rows = scores.map((score) => {
    const { score: share, all } = sharesOf(score);
    const { room, date, commit, made, tried, killed, survived, notReached, loaded } = score;
    const atLoad = `${loaded.killed} of ${loaded.tried} (of ${loaded.made})`;
    const counts = [`${tried} of ${made - loaded.made}`, killed, survived, notReached].join(' | ');
    return `| \`${room}\` | ${date} | \`${commit}\` | ${counts} | **${percent(share)}** | ${percent(all)} | ${atLoad} |`;
  });
  return [
    '| room | date | commit | mutants tried | killed | survived | not reached | score | with messages | killed at load |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** A room's folder is one of the committed names. */
export function isRoom(name: string): name is RoomName {
  return Object.hasOwn(ROOMS, name);
}
