/** Flag names of the library's options, so that an error names what the user of the command typed. Pure. */

/** Flags by option key. Of several flags, a command has one. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  agent: '--agent',
  prompt: '--prompt',
  promptFile: '--prompt-file',
  promptArgs: '--arg',
  output: '--schema',
  tag: '--tag',
  via: '--via',
  check: '--check',
  maxRetries: '--max-retries',
  retry: '--retry',
  resumeSession: '--resume',
  record: '--record',
  sandbox: '--sandbox',
  imageName: '--image-name',
  egress: '--egress',
  'egress.allow': '--egress',
  branch: '--branch',
  branchPrefix: '--branch-prefix',
  editablePaths: '--editable',
  sensitiveChanges: '--sensitive-changes',
  cwd: '--cwd --repo',
  name: '--name',
  timeoutSeconds: '--timeout',
  idleTimeoutSeconds: '--idle-timeout',
  'budget.tokens': '--budget-tokens',
  'budget.requests': '--budget-requests',
  'budget.usd': '--budget-usd',
  inputs: '--inputs',
  out: '--out',
  retryFailed: '--retry-failed',
  readOnly: '--read-only',
  concurrency: '--concurrency',
  databaseUrl: '--database-url',
};

/** Calls and values of the library, and the words of the command for them. */
const PHRASES: readonly (readonly [string, string])[] = [
  ["Set `retry: 'fresh'` on the output", 'Pass `--retry fresh`'],
  ["`retry: 'fresh'`", '`--retry fresh`'],
  ['give the output a `tag`', 'pass `--tag`'],
  ['Give the output a `tag`', 'Pass `--tag`'],
  ['`Output.instructions(output)` returns', '`truecast instructions` prints'],
  ['Set a `tag` on the output, and name it in the prompt', 'Pass `--tag`'],
  ['Set a `tag` on the output', 'Pass `--tag`'],
  [
    'Use a template string, or move the prompt into a `promptFile`',
    'Write it to a file, and pass `--prompt-file`',
  ],
  ['Pass `prices`, or use', 'Use'],
  ['`record` of `run()` or `truecast run --record FILE`', '`truecast run --record FILE`'],
  [' Its work is kept; see the log.', ''],
  ["`via: 'mcp'`", '`--via mcp`'],
  ['`via: "mcp"`', '`--via mcp`'],
  ['`via: "native"`', '`--via native`'],
  ["`via: 'native'`", '`--via native`'],
  ['`via: "tag"`', '`--tag`'],
  ["`egress: 'host'`", '`--egress host`'],
  ["`sensitiveChanges: 'report'`", '`--sensitive-changes report`'],
  ['`claudeCode()`', '`--agent claude-code`'],
  ['`codex()`', '`--agent codex`'],
  ['`command()`', '`--agent command:LINE`'],
  ['`noSandbox()`', '`--sandbox none`'],
  ['`bubblewrap()`', '`--sandbox bubblewrap`'],
  ['`docker()`', '`--sandbox docker`'],
  ['`podman()`', '`--sandbox podman`'],
  ['`run()`', '`truecast run`'],
  ['`runBatch()`', '`truecast batch`'],
  ['the `sessionId` of an earlier result', 'the `sessionId` that `--json` printed'],
];

/**
 * Returns a message with flags instead of option keys. A key whose flag the command does not have is
 * unchanged.
 *
 * @param flags - long flags of the command, such as `--tag`
 */
export function inFlagWords(message: string, flags: readonly string[]): string {
  let said = message;
  for (const [phrase, words] of PHRASES) said = said.replaceAll(phrase, words);
  return said
    .replaceAll(/`([\w.]+)`/gu, (whole, key: string) => {
      const known = Object.hasOwn(FLAG_OF_OPTION, key) ? FLAG_OF_OPTION[key]?.split(' ') : undefined;
      const flag = known?.find((each) => flags.includes(each));
      return flag === undefined ? whole : `\`${flag}\``;
    })
    .replaceAll(TYPE_OF_VALUE, '$1');
}

/** On a command line every value is text. */
const TYPE_OF_VALUE = /(`[^`]*`) \((?:number|string|boolean)\)/gu;
