/** Quickstart: a complete run with the offline agent, on the caller's repository or a new one. */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { temporaryBranchName } from '../git/command/branch-name.ts';
import { run } from '../run/run.ts';
import { offlineAgent } from '../testing/offline-agent/offline-agent-provider.ts';
import { chooseSandbox } from './flags/choose-sandbox.ts';
import { exitCodeOf } from './terminal/exit-codes.ts';
import { printResult, tell } from './terminal/print.ts';

const terminal = { stdout: process.stdout, stderr: process.stderr };

const survey = z.object({
  commit: z.string().regex(/^[0-9a-f]{40,64}$/u),
  filesTracked: z.number().int().nonnegative(),
  largestFile: z.object({ path: z.string(), bytes: z.number().int().nonnegative() }),
});

async function quickstart(repositoryPath: string | undefined): Promise<void> {
  const cwd = repositoryPath ?? (await makeRepository());
  if (repositoryPath === undefined)
    tell(
      `Created a repository to work in: ${cwd} (to use yours: npm run quickstart -- --repo PATH)`,
      terminal,
    );
  const sandbox = await chooseSandbox({ egress: 'none', mayUseNone: true }, (line) => tell(line, terminal));
  const branch = temporaryBranchName({
    name: 'quickstart',
    now: new Date(),
    random: crypto.getRandomValues(new Uint8Array(3)),
  });
  const result = await run({
    agent: offlineAgent(),
    sandbox,
    cwd,
    branchStrategy: { type: 'branch', branch },
    logging: { type: 'file', live: process.stderr },
    prompt: 'Survey this repository, commit what you find, and answer in a <result> tag.',
    output: Output.object({ tag: 'result', schema: survey }),
  });
  tell(
    `Validated by its schema, found at ${result.provenance.span?.start}–${result.provenance.span?.end} of the agent's text, in attempt ${result.provenance.attempts.length}.`,
    terminal,
  );
  tell(`Its commit is on ${result.branch}: git -C ${cwd} show ${result.branch}`, terminal);
  await printResult(result.output, terminal);
  tell(
    `\nTo run a real agent, which must be installed and have its key in the environment:\n  npm run -s truecast -- run --agent claude-code --cwd '${cwd}' --tag result --prompt "How many files does git track here? Answer in a <result> tag."`,
    terminal,
  );
}

/** Creates a small repository, so that the caller's files are not changed without a request. */
async function makeRepository(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'truecast-quickstart-'));
  const git = async (...args: string[]): Promise<unknown> =>
    promisify(execFile)('git', ['-C', path, ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await writeFile(join(path, 'README.md'), '# A repository for the quickstart\n');
  await writeFile(join(path, 'hello.ts'), "console.log('hello');\n");
  await git('add', '.');
  await git(
    '-c',
    'user.name=Truecast',
    '-c',
    'user.email=truecast@localhost',
    'commit',
    '--quiet',
    '-m',
    'Begin',
  );
  return path;
}

try {
  const { values } = parseArgs({ options: { repo: { type: 'string' } } });
  await quickstart(values.repo);
} catch (error) {
  tell(`quickstart: ${error instanceof Error ? error.message : String(error)}`, terminal);
  process.exitCode = exitCodeOf(error);
}
