/**
 * A batch over many files, as a gate in CI: an agent reads each file of the folder, its findings are
 * typed, and the process ends with 1 if there are more than allowed. A second start reads only files that
 * changed or failed. Start it in a repository: `node check-files.ts src`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { bubblewrap, claudeCode, command, noSandbox, Output, runBatch } from 'truecast';
import { z } from 'zod';

const [folder = '.'] = process.argv.slice(2);
const out = process.env['TRUECAST_RESULTS'] ?? 'findings.jsonl';
const allowed = Number(process.env['TRUECAST_ALLOWED'] ?? 0);
// Any program can be the agent, such as the one of our test.
const program = process.env['TRUECAST_AGENT_COMMAND'];
const place =
  program === undefined
    ? { agent: claudeCode(), sandbox: bubblewrap() }
    : { agent: command({ command: program }), sandbox: noSandbox() };

const finding = z.object({ line: z.int().positive(), problem: z.string().max(200) });
const review = Output.array({ tag: 'findings', element: finding, maxCorrections: 2, retry: 'fresh' });
const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
// The hash is part of the id, so a file that changed is a new item.
const files = new Map(
  globSync(`${folder}/**/*.ts`)
    .toSorted()
    .map((path) => [`${path}@${hashOf(path).slice(0, 16)}`, path]),
);
assert.ok(files.size > 0, `\`${folder}\` has no file.`);

const { ok, failed, okEarlier } = await runBatch({
  ...place,
  inputs: [...files].map(([id, PATH]) => ({ id, PATH })),
  prompt: `Read {{PATH}}. Which lines swallow an error?\n${Output.instructions(review)}`,
  output: review,
  readOnly: true, // four workers with one worktree each
  concurrency: 4,
  budget: { tokens: 5_000_000 },
  retryFailed: true,
  out,
});

// The file has the results of all starts, also of files that have changed since.
const result = z.object({ id: z.string(), status: z.string(), output: z.array(finding).optional() });
const found = readFileSync(out, 'utf8')
  .trim()
  .split('\n')
  .map((text) => result.parse(JSON.parse(text)))
  .filter(({ id, status }) => status === 'ok' && files.has(id))
  .flatMap(({ id, output = [] }) => output.map((each) => ({ ...each, path: files.get(id) })));
for (const { path, line, problem } of found) console.log(`${path}:${line}: ${problem}`);
console.log(
  `${files.size} files, ${ok} read, ${okEarlier} earlier, ${failed} failed, ${found.length} findings`,
);
if (failed > 0 || found.length > allowed) process.exitCode = 1;
