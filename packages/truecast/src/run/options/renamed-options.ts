/** Renamed options: words that users try, with what they mean here. */

/** Words that readers of other libraries try. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  schema: 'output: Output.object({ schema })',
  model: "agent: claudeCode('…')",
  maxTurns: 'maxIterations',
  repository: 'cwd',
  files: 'attachments',
  images: 'attachments',
};

/** Options that were not in a group, by their old names. */
export const MOVED_OPTIONS: Readonly<Record<string, string>> = {
  maxCorrections: 'output: Output.object({ maxCorrections })',
  idleTimeoutSeconds: 'timeouts: { idleMs }',
  completionTimeoutSeconds: 'timeouts: { completionMs }',
  timeoutSeconds: 'timeouts: { runMs }',
  maxLimitWaitSeconds: 'timeouts: { limitWaitMs }',
  onLimit: 'policies: { onLimit }',
  secretsInOutput: 'policies: { secretsInOutput }',
  secretsInCommits: 'policies: { secretsInCommits }',
  sensitiveChanges: 'policies: { sensitiveChanges }',
  resumeSession: 'session: { resume }',
  forkSession: 'session: { fork }',
  prices: 'budget: { prices }',
  record: 'logging: { record }',
  runs: 'logging: { keepRuns }',
  limits: 'logging: { maxBytes, maxRecordBytes } and session: { maxBytes }',
  editablePaths: "branchStrategy: { type: 'head', editablePaths }",
};
