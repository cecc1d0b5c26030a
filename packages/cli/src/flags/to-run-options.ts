/** Options of `run()` from the flags of `truecast run`. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BranchStrategy } from 'truecast/internal/git/command/branch-strategy';
import type { TreeCheck } from 'truecast/internal/git/command/tree-check';
import { newBranch } from 'truecast/internal/run/options/new-branch';
import type { AnyRunOptions } from 'truecast/internal/run/options/read-only';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import { tellNote, type Terminal } from '../terminal/print.ts';
import { chooseAgent, chooseInstalledAgent } from './choose-agent.ts';
import { chooseSandbox } from './choose-sandbox.ts';
import { budgetOf, timeoutsOf } from './flag-values.ts';
import { loadOutput } from './load-output.ts';
import { withDefaultTag, withRetries } from './output-flags.ts';
import { addInstruction, parseArguments } from './read-prompt.ts';
import type { RunFlags } from './run-flags.ts';

/** Returns the options of the run that the flags describe. Reports the chosen agent and sandbox. */
export async function toRunOptions(flags: RunFlags, terminal: Terminal): Promise<AnyRunOptions> {
  const note = (line: string): void => tellNote(line, terminal);
  const agent = chooseAgent(flags.agent ?? (await chooseInstalledAgent(note)));
  const output = await loadOutput(withRetries(withDefaultTag(flags), agent));
  const { promptArgs: added, ...prompt } = await addInstruction(flags, output);
  const promptArgs = { ...parseArguments(flags.arg ?? []), ...added };
  const branchStrategy = chooseBranch(flags);
  const sandbox: SandboxProvider = await chooseSandbox(flags, note);
  const { resume, cwd, name, id } = flags;
  return {
    agent,
    sandbox,
    ...(id !== undefined && { id }),
    ...(flags.readOnly === true ? { readOnly: true } : branchStrategy && { branchStrategy }),
    logging: {
      type: 'file',
      ...(flags.quiet !== true && { live: terminal.stderr }),
      ...(flags.verbose === true && { verbose: true }),
      ...(flags.record !== undefined && { record: flags.record }),
    },
    ...(output !== undefined && { output }),
    ...prompt,
    ...(Object.keys(promptArgs).length > 0 && { promptArgs }),
    ...(flags.attach !== undefined && { attachments: flags.attach }),
    ...(resume !== undefined && { session: { resume } }),
    policies: {
      ...(flags.sensitiveChanges !== undefined && { sensitiveChanges: flags.sensitiveChanges }),
      ...(flags.secretsInCommits !== undefined && { secretsInCommits: flags.secretsInCommits }),
      ...(flags.onLimit !== undefined && { onLimit: flags.onLimit }),
      ...(flags.onInterruption !== undefined && { onInterruption: flags.onInterruption }),
    },
    ...(cwd !== undefined && { cwd }),
    ...(name !== undefined && { name }),
    timeouts: {
      ...timeoutsOf(flags),
      ...(flags.promptTimeout !== undefined && { promptExpressionMs: flags.promptTimeout * 1000 }),
    },
    ...(flags.publish !== undefined && { publish: flags.publish }),
    ...budgetOf(flags),
  };
}

/** Undefined for a new branch of a run with an id: each call of `run()` finds the same one. */
function chooseBranch(flags: RunFlags): BranchStrategy | undefined {
  assertBranchFlags(flags);
  const { branch, branchPrefix: prefix, merge, mergeCheck, head, editable, name, id } = flags;
  if (head === true) return { type: 'head', ...(editable !== undefined && { editablePaths: editable }) };
  if (merge === true) {
    return {
      type: 'merge-to-head',
      ...(prefix !== undefined && { branchPrefix: prefix }),
      ...(branch !== undefined && { branch }),
      ...(mergeCheck !== undefined && { check: commandCheck(mergeCheck) }),
    };
  }
  if (branch !== undefined) return { type: 'branch', branch };
  return id === undefined ? newBranch({ name, prefix }) : undefined;
}

function assertBranchFlags({
  branch,
  branchPrefix: prefix,
  merge,
  mergeCheck,
  head,
  editable,
  answer,
  id,
  onInterruption,
}: RunFlags): void {
  const isContinued = merge === true && branch !== undefined && answer !== undefined;
  if (!isContinued && [branch !== undefined, merge, head].filter(Boolean).length > 1) {
    throw new UsageError(
      '`--branch`, `--merge` and `--head` exclude each other. Pass one of them, or none for a new branch.',
    );
  }
  if (mergeCheck !== undefined && merge !== true) {
    throw new UsageError('`--merge-check` needs `--merge`: without it, nothing is merged.');
  }
  if (editable !== undefined && head !== true) {
    throw new UsageError(
      '`--editable` needs `--head`: without it, the agent can edit every path of its branch.',
    );
  }
  if (prefix !== undefined && (branch !== undefined || head === true)) {
    throw new UsageError(
      '`--branch-prefix` names a new branch, so it excludes `--branch` and `--head`. Remove one of them.',
    );
  }
  if (id === undefined && onInterruption !== undefined) {
    throw new UsageError('`--on-interruption` is about a second call with the same id. Pass `--id`.');
  }
  if (id !== undefined && prefix !== undefined && merge !== true) {
    throw new UsageError(
      '`--branch-prefix` names another branch in each call, so `--id` needs one that stays. Pass `--branch NAME`, or `--merge`.',
    );
  }
}

const MAX_SHOWN_CHARS = 2_000;

/** Accepts merged files if a command exits with 0. */
function commandCheck(command: string): TreeCheck {
  return async ({ exec }) => {
    const { exitCode, stdout, stderr } = await exec(command);
    if (exitCode === 0) return undefined;
    return `\`${command}\` exited with ${exitCode}. ${`${stdout}${stderr}`.trim().slice(-MAX_SHOWN_CHARS)}`;
  };
}
