/** Names of the options of `run()`, for the refusal of others. */
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import type { RunOptions } from './run-options.ts';

/** Names of these options, complete by their type. Others are refused. */
export const RUN_OPTIONS: OptionNames<RunOptions> = {
  agent: true,
  sandbox: true,
  cwd: true,
  prompt: true,
  promptFile: true,
  promptArgs: true,
  attachments: true,
  id: true,
  output: true,
  tools: true,
  until: true,
  maxRounds: true,
  maxIterations: true,
  branchStrategy: true,
  readOnly: true,
  publish: true,
  copyToWorktree: true,
  hooks: true,
  completionSignal: true,
  budget: true,
  name: true,
  logging: true,
  env: true,
  signal: true,
  timeouts: true,
  policies: true,
  session: true,
  onPartial: true,
  onCheckpoint: true,
};
