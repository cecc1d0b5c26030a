/** Proof of checked runs: whatever an agent does, no commit lands that fails its check on a clean checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EvidenceError } from '../../packages/core/src/errors/base/run-evidence.ts';
import type { BranchStrategy } from '../../packages/truecast/src/git/command/branch-strategy.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import type { RunResultWithOutput } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { checkedOutput, checkedRepository, isGreen } from '../run/checked-repository.ts';
import { choices, LEFT, playing, scriptOf, type Choice } from './careless-agents.ts';

/** Options of the proof. */
export interface LandedOptions {
  readonly agents: number;
  /** Agents of one seed are the same in each sandbox. @default 1 */
  readonly seed?: number;
  readonly sandbox: () => SandboxProvider;
  readonly concurrency?: number;
  readonly onAgent?: (facts: LandedFacts) => void;
}

/** Counted facts. */
export interface LandedFacts {
  agents: number;
  landed: number;
  refused: number;
  /** Refused after a try on a clean checkout. */
  refusedOnCommit: number;
  /** Runs that landed after they were asked again. */
  landedOnRetry: number;
  /** Runs whose target moved during the check. */
  movedTargets: number;
  /** Seeds of wrong runs, with what was said. Each must be empty. */
  readonly landedRed: string[];
  readonly lostWork: string[];
  readonly withoutReason: string[];
}

/** Runs the agents. Throws at an error that is none of a refused run. */
export async function proveLanded(options: LandedOptions): Promise<LandedFacts> {
  const { agents, seed = 1, concurrency = 2, onAgent } = options;
  const facts: LandedFacts = {
    agents: 0,
    landed: 0,
    refused: 0,
    refusedOnCommit: 0,
    landedOnRetry: 0,
    movedTargets: 0,
    landedRed: [],
    lostWork: [],
    withoutReason: [],
  };
  const seeds = Array.from({ length: agents }, (_, index) => seed + index).values();
  const work = async (): Promise<void> => {
    for (const next of seeds) {
      await proveOne(next, options.sandbox(), facts);
      facts.agents += 1;
      onAgent?.(facts);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return facts;
}

async function proveOne(seed: number, sandbox: SandboxProvider, facts: LandedFacts): Promise<void> {
  const choice = choices(seed);
  const folder = mkdtempSync(join(tmpdir(), 'truecast-landed-'));
  try {
    const cwd = checkedRepository(folder);
    const tries = choice.of([1, 1, 2, 3]);
    const hasDaemon = sandbox.tag === 'none';
    const scripts = Array.from({ length: tries }, () => scriptOf(choice, { hasDaemon }));
    const branchStrategy: BranchStrategy = choice.chance(0.7)
      ? { type: 'merge-to-head' }
      : { type: 'branch', branch: 'topic' };
    const user = new MovingUser(cwd, choice);
    const before = revision(cwd, 'refs/heads/main');
    const outcome = await run({
      agent: playing(scripts),
      sandbox,
      cwd,
      prompt: 'Fix the test. Answer in <result>.',
      branchStrategy,
      logging: { type: 'file', path: join(folder, 'run.log') },
      output: checkedOutput({ maxCorrections: tries - 1, retry: 'fresh' }, (at) => user.during(at)),
    }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (user.moves > 0) facts.movedTargets += 1;
    const target = { cwd, before: user.last ?? before, type: branchStrategy.type };
    if ('result' in outcome) countLanded(seed, facts, { ...target, ...outcome });
    else countRefused(seed, facts, { ...target, ...outcome });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A user who commits on main while a check runs, and lets an agent's daemon commit. */
class MovingUser {
  readonly #cwd: string;
  readonly #isMoving: boolean;
  readonly #breaks: boolean;
  moves = 0;
  last: string | undefined;

  constructor(cwd: string, choice: Choice) {
    this.#cwd = cwd;
    this.#isMoving = choice.chance(0.2);
    this.#breaks = choice.chance(0.3);
  }

  async during(at: string): Promise<void> {
    const isClean = at.includes('truecast-check-');
    if (!isClean) writeFileSync(join(at, 'go.ignored'), '');
    if (!isClean) await sleep(120);
    if (!this.#isMoving || !isClean || this.moves > 0) return;
    this.moves += 1;
    const file = this.#breaks ? 'test.sh' : 'user.txt';
    writeFileSync(join(this.#cwd, file), '#!/bin/sh\ngrep -q fixed c.txt\n');
    git(this.#cwd, 'add', '-f', file);
    git(this.#cwd, 'commit', '-q', '-m', 'of the user');
    this.last = revision(this.#cwd, 'refs/heads/main');
  }
}

interface Target {
  readonly cwd: string;
  /** Main before the run, or the user's last commit. */
  readonly before: string;
  readonly type: BranchStrategy['type'];
}

function countLanded(
  seed: number,
  facts: LandedFacts,
  { cwd, before, type, result }: Target & { readonly result: RunResultWithOutput<unknown> },
): void {
  const { check, attempts } = result.provenance;
  const place = type === 'merge-to-head' ? 'refs/heads/main' : 'refs/heads/topic';
  const landed = revision(cwd, place);
  facts.landed += 1;
  if (attempts.length > 1) facts.landedOnRetry += 1;
  const isChecked = check !== undefined && (type === 'merge-to-head' || landed === check.commit);
  // Without a landing, main is the user's own.
  if (!isChecked || (landed !== before && !isGreen(cwd, landed))) facts.landedRed.push(`${seed}: ${landed}`);
}

function countRefused(
  seed: number,
  facts: LandedFacts,
  { cwd, before, error }: Target & { readonly error: unknown },
): void {
  if (!EvidenceError.isInstance(error)) throw error;
  const wrong = `${seed}: ${error.code}: ${error.message}`;
  facts.refused += 1;
  if (error.code === 'check-failed') facts.refusedOnCommit += 1;
  if (revision(cwd, 'refs/heads/main') !== before) facts.landedRed.push(wrong);
  const { preservedWorktreePath, branch, commits, message } = error;
  const kept = git(cwd, 'for-each-ref', '--format=%(objectname)').split('\n');
  const reachable = new Set(git(cwd, 'rev-list', '--ignore-missing', ...kept).split('\n'));
  const hasFiles = preservedWorktreePath !== undefined && existsSync(join(preservedWorktreePath, LEFT));
  const hasCommits = commits.every(({ sha }) => reachable.has(sha));
  if (!hasFiles || !hasCommits || branch === undefined) facts.lostWork.push(wrong);
  if (!/check|merged|tests fail|`git /u.test(message)) facts.withoutReason.push(wrong);
}

function revision(cwd: string, name: string): string {
  return git(cwd, 'rev-parse', '--verify', name);
}

/** Without replaced objects, which some agents make. */
function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', ['--no-replace-objects', ...args], { cwd, encoding: 'utf8' }).trim();
}
