/** Store commands: each documented command that opens the database, or asks a server that does. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { truecast } from './cli-fixture.ts';
import { SCHEMA, TURNS, type UsedServer } from './used-server.ts';

/** One command, and how to tell its whole output. */
export interface StoreCommand {
  /** Its name in docs/cli.md, or in a page beside it. */
  readonly name: string;
  /** Prepares what it changes, and returns its arguments. `round` is different for each call. */
  args(used: UsedServer, round: string): Promise<readonly string[]> | readonly string[];
  /** Returns true if its stdout is complete. */
  isWhole(stdout: string, used: UsedServer): boolean;
  /** False if it asks the server instead of opening the database. @default true */
  readonly opensDatabase?: false;
  /** True if it changes nothing, so that it starts no checkpoint. @default false */
  readonly onlyReads?: true;
}

/** Checks of the output: JSON that `schema` accepts. */
const json =
  (schema: z.ZodType): StoreCommand['isWhole'] =>
  (stdout) =>
    stdout !== '' && schema.safeParse(JSON.parse(stdout)).success;

const rows = z.array(z.object({}));
const ID = /^[\w-]+$/u;

/** Creates an owner with a token, and returns the token's id. */
async function makeOwner({ folder, databaseUrl }: UsedServer, owner: string): Promise<string> {
  const flags = ['--name', owner, '--owner', owner, '--database-url', databaseUrl];
  const { stderr } = await truecast(folder, 'token', 'create', ...flags);
  return /token revoke (\S+)/u.exec(stderr)?.[1] ?? '';
}

/** Commands of chats and their owners. */
const OF_CHATS: readonly StoreCommand[] = [
  {
    name: 'token create',
    args: (_used, round) => ['--name', `ci-${round}`],
    isWhole: (stdout) => /^tc_[\w-]{43}$/u.test(stdout),
  },
  { name: 'token list', args: () => ['--json'], isWhole: json(rows.min(1)), onlyReads: true },
  {
    name: 'token revoke',
    args: async (used, round) => [await makeOwner(used, `revoked-${round}`)],
    isWhole: (stdout) => stdout === '',
  },
  {
    name: 'data export',
    args: () => ['local'],
    isWhole: json(z.object({ chats: rows.min(TURNS) })),
  },
  {
    name: 'data erase',
    args: async (used, round) => {
      await makeOwner(used, `erased-${round}`);
      return [`erased-${round}`, '--yes', '--json'];
    },
    isWhole: json(z.object({ tokens: z.literal(1), chats: z.literal(0) })),
  },
  { name: 'data audit', args: () => ['--json'], isWhole: json(rows.min(1)), onlyReads: true },
  {
    name: 'chat',
    args: () => ['How many?', '--schema', SCHEMA],
    isWhole: json(z.object({ answer: z.literal(7) })),
    opensDatabase: false,
  },
  {
    name: 'link',
    args: () => ['--json'],
    isWhole: json(z.object({ link: z.string() })),
    opensDatabase: false,
  },
  {
    name: 'usage',
    args: () => ['--json'],
    isWhole: json(z.object({ owner: z.literal('local') })),
    opensDatabase: false,
  },
  {
    name: 'runs list',
    args: () => ['--json'],
    isWhole: json(z.object({ runs: rows.length(0) })),
    opensDatabase: false,
  },
];

/** Commands of ensembles. */
const OF_RUNS: readonly StoreCommand[] = [
  { name: 'ensemble run', args: () => ['duel', '--quiet'], isWhole: json(z.object({ reason: z.string() })) },
  {
    name: 'ensemble replay',
    args: ({ run }) => [run.id, '--json', '--quiet'],
    isWhole: (stdout, { run }) => stdout === run.events,
    onlyReads: true,
  },
  { name: 'ensemble report', args: () => ['--json'], isWhole: json(z.object({ rows })), onlyReads: true },
  {
    name: 'ensemble eval',
    args: (_used, round) => ['duel', '--model', 'stub', '--runs', '1', '--name', round, '--json'],
    isWhole: json(z.object({ rows: rows.length(1) })),
  },
  {
    name: 'ensemble import',
    args: async ({ folder, run }, round) => {
      const file = join(folder, `${round}.jsonl`);
      await writeFile(file, run.events.replaceAll(run.id, round));
      return [file];
    },
    isWhole: (stdout) => ID.test(stdout),
  },
  {
    name: 'ensemble leaderboard',
    args: () => ['--json'],
    isWhole: json(z.object({ models: rows })),
    onlyReads: true,
  },
  {
    name: 'ensemble say',
    args: ({ openRunId }) => [openRunId, 'Hello.'],
    isWhole: (stdout) => ID.test(stdout),
  },
];

/** All of them, except those that run until a signal. */
export const STORE_COMMANDS: readonly StoreCommand[] = [...OF_CHATS, ...OF_RUNS];
