/**
 * Old names: one meaning has one word (ADR 0203). No source, page, example, template, help text or test
 * uses a name that was replaced, except the records of decisions and the list of changes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a replaced name looks like, and the files whose use of it is another idea. */
interface OldName {
  readonly pattern: RegExp;
  readonly instead: string;
  readonly isOther?: (file: string, text: string, line: string) => boolean;
}

/** A call that is refused. */
const isMistake = (file: string): boolean => file.startsWith('test/mistakes/');

const OTHER_RETRIES = new RegExp(
  [
    'bench/(?:benches/generate|contestants/)',
    'test/compare-glue/glue/',
    'docs/(?:ensemble|migrate)',
    'examples/migration/typed-plan',
    'packages/(?:client|ensemble)/',
    'packages/core/src/output/output',
    'packages/model/src/call/sdk-request',
    'packages/server/src/models/sdk-call',
    'packages/truecast/src/sandcastle/',
    'test/agents/real-cli',
    'test/(?:client|ensemble|sandcastle)/',
    'test/engine/(?:askers/(?:event|peer)-askers?|play-ensemble)',
    'test/guarantees/routes/model-routes',
    'test/hostile-calls/base-calls',
    'test/openai-wire/other-clients',
    'test/package/(?:api/(?:client|ensemble|truecast)|sandcastle-programs|ported-)',
    'test/proofs/proof-conversation',
    'test/server/steadfast-client',
    'web/src/session/session',
  ]
    .map((path) => `^${path}`)
    .join('|'),
  'u',
);

const OLD_NAMES: readonly OldName[] = [
  {
    pattern: /\bcreateServer\b/u,
    instead: 'createChatServer',
    isOther: (_file, text) =>
      /createServer\b[^;]* from 'node:|(?:require|getBuiltinModule)\(["'](?:node:)?https?["']\)\s*\.createServer/u.test(
        text,
      ),
  },
  { pattern: /\bCreateServerOptions\b/u, instead: 'ChatServerOptions' },
  {
    pattern: /\bbaseUrl\b/u,
    instead: 'baseURL',
    // Names of Pi's configuration, of `openapi-fetch`, and of a message between two processes.
    isOther: (file) =>
      /^(?:packages\/truecast\/src\/agents\/pi\/|test\/openapi-client\/|bench\/)/u.test(file),
  },
  { pattern: /\b(?:server|client)Tool\b/u, instead: 'tool' },
  { pattern: /\bisReadOnly\b/u, instead: 'readOnlyHint' },
  { pattern: /\bisIdempotent\b/u, instead: 'idempotentHint' },
  {
    pattern: /\bmaxRetries\b/u,
    instead: 'maxCorrections',
    // Repeated requests, repeated removals of a folder, and the names of Sandcastle and of the seed of ensembles.
    isOther: (file, _text, line) =>
      /recursive: true|createClient\(|^ {4}maxRetries: 2,$|new OpenAI\(|serviceUrl, apiKey|aiSdkProvider\(|`unreachable`/u.test(
        line,
      ) || OTHER_RETRIES.test(file),
  },
  {
    pattern: /\b(?:idle|loading)TimeoutMs\b/u,
    instead: 'timeouts: { idleMs, loadingMs }',
    // The watchdog of a run, and the places of the old names.
    isOther: (file) =>
      /^packages\/(?:truecast\/src\/run\/|testing\/|model\/src\/call\/generate-options)/u.test(file),
  },
  {
    pattern: /\b(?:shutdown|clockTolerance|wait)Seconds\b/u,
    instead: '…Ms',
    // Values of flags that say their unit.
    isOther: (file) => file.startsWith('packages/cli/src/'),
  },
  {
    pattern: /(?<!\[')refuse-git|(?:sensitiveChanges|secretsIn\w+): '(?:refuse|report)'/u,
    instead: "'error', 'warn' or 'allow'",
  },
  {
    pattern: /\b(?:idleTimeout|completionTimeout|timeout|maxLimitWait)Seconds\b/u,
    instead: 'timeouts: { …Ms }',
    // Sandcastle's words, the flat names that lead to their group, and values of flags that say their unit.
    isOther: (file) =>
      /sandcastle|^test\/package\/ported-|^examples\/migration\/|^docs\/(?:adr|migrate)|^packages\/truecast\/src\/(?:cli|run\/options\/renamed-options)|^test\/run\/option-groups|^test\/package\/api\/truecast/u.test(
        file,
      ),
  },
  { pattern: /\bonPartialOutput\b/u, instead: 'onPartial' },
  { pattern: /\bask\((?:\{|\{[^}]*\b)\s*message\b/u, instead: 'prompt', isOther: isMistake },
  { pattern: /\{ value(?:, \w+)* \} = await [\w.()]*\.ask\(/u, instead: 'output' },
  { pattern: /max-retries/u, instead: '--max-corrections' },
  {
    pattern: /\bvia: |\bvia\??:|--via\b|\bVia\b|[`'"]via[`'"]/u,
    instead: 'mode',
  },
  {
    pattern:
      /\b(?:Generate|Native|native|Run)Route\b|provenance\.route|truecast\.route|(?<![\w.])route: ['"]?(?:auto|tag|native|tool|mcp|json)\b/u,
    instead: 'mode',
  },
  {
    pattern: /\b(?:[a-z]\w*)?[mM]echanisms?\b/u,
    instead: 'mode',
    isOther: (file) => file === 'docs/adr/0025-egress-closed-by-default.md',
  },
];

/** The records (archived decisions too), this list, and what says the new name to a caller of the old one. */
const RECORDS =
  /^(?:CHANGELOG\.md|docs\/adr\/(?:0203-|archive\/)|test\/docs\/old-names\.test\.ts|packages\/core\/src\/options\/known-options\.(?:test\.)?ts|packages\/server\/src\/tools\/to-server-tools\.test\.ts|package-lock\.json|test\/transcripts\/)/u;

/** Every text file of the project that can contain a name. */
const texts: ReadonlyMap<string, string> = new Map(
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(?:ts|tsx|mts|mjs|md|txt|json|yaml|yml|html|snap|patch)$/u.test(file))
    .filter((file) => !RECORDS.test(file))
    .map((file) => [file, readFileSync(`${ROOT}${file}`, 'utf8')]),
);

it('reads every source and page', () => {
  expect(texts.size).toBeGreaterThan(2_000);
});

it.each(OLD_NAMES)('no file uses $pattern: the word is $instead', ({ pattern, isOther }) => {
  const found = [...texts]
    .filter(([, text]) => pattern.test(text))
    .flatMap(([file, text]) =>
      text
        .split('\n')
        .filter((line) => pattern.test(line) && isOther?.(file, text, line) !== true)
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});
