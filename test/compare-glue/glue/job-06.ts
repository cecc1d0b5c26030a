import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { agentIn, deadlineOf, git, messageOf, pool, removeDir, sweepCopies, tempDir, type World } from './shared.ts';

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(\+[\da-zA-Z-]+(\.[\da-zA-Z-]+)*)?$/;
const answer = z.object({ ok: z.boolean(), version: z.string().regex(SEMVER, 'must be a semantic version such as 1.2.3') });
const inputSchema = z.object({ state: z.string().min(1) });
const record = z.object({ repo: z.string(), value: answer });

type Result = z.infer<typeof answer> | { error: string };

/** Nightly batch over repositories. */
export async function job(world: World): Promise<Record<string, Result>> {
  const { state } = inputSchema.parse(world.input);
  const repos = [...new Set(world.repos ?? [])];
  if (repos.length === 0) throw new Error('there are no repositories');
  const deadline = deadlineOf(world);
  await mkdir(state, { recursive: true });
  await sweepCopies();

  const settled = await pool(repos, 2, async (repo): Promise<Result> => {
    const file = join(state, createHash('sha256').update(repo).digest('hex').slice(0, 16));
    const done = record.safeParse(await readJson(`${file}.json`));
    if (done.success && done.data.repo === repo) return done.data.value;

    const copy = await tempDir('copy'); // the agent reads a clone: what it does there reaches nobody
    try {
      await git(copy, 'clone', '--quiet', '--shared', repo, '.');
      await git(copy, 'remote', 'remove', 'origin');
      const agent = agentIn(world, copy, { deadline, untouched: async () => true });
      const value = await agent.ask(
        'Look at this repository without changing anything: `ok` is whether it is in good order, `version` is its current version (semver).',
        answer,
      );
      await writeFile(`${file}.tmp`, JSON.stringify({ repo, value }));
      await rename(`${file}.tmp`, `${file}.json`); // whole or not at all
      return value;
    } finally {
      await removeDir(copy);
    }
  });
  return Object.fromEntries(
    repos.map((repo, i) => {
      const result = settled[i]!;
      return [repo, result.status === 'fulfilled' ? result.value : { error: messageOf(result.reason) }];
    }),
  );
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined; // not there, or broken: the repository is run again
  }
}
