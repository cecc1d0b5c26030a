/** Compares runs of this library with runs of `@ai-hero/sandcastle`, input by input. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, vi } from 'vitest';
import { answerCases } from './answer-cases.ts';
import { declareCases } from './oracle-case.ts';
import { runCases } from './run-cases.ts';

// The other library changes the global git configuration, and runs git on the host.
const folder = mkdtempSync(join(tmpdir(), 'truecast-oracle-'));
process.env['GIT_CONFIG_GLOBAL'] = join(folder, 'gitconfig');
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

// It prints where its logs are.
vi.spyOn(console, 'log').mockImplementation(() => undefined);

let count = 0;
function makeRepository(): string {
  const cwd = join(folder, `repo-${(count += 1)}`);
  const git = (...args: readonly string[]): unknown => execFileSync('git', ['-C', cwd, ...args]);
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  git('commit', '-q', '--allow-empty', '-m', 'begin');
  return cwd;
}

describe('answers', () => declareCases(answerCases(makeRepository()), { stride: 3 }));
describe('runs', () => declareCases(runCases(makeRepository), { stride: 3 }));
