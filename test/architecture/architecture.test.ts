/** Checks the import directions between folders, the purity of the core, and the file sizes. */
import { describe, expect, it } from 'vitest';
import {
  importsOf,
  manifestOf,
  packageOf,
  PACKAGES,
  readSource,
  roomOf,
  sourceFiles,
  type Manifest,
} from './source-tree.ts';

/** Rooms below `run`, the lowest first. Each imports only from rooms before it. */
const BELOW_RUN = ['support', 'process', 'git', 'ports', 'agents', 'guest-git', 'sandboxes'] as const;
const CORE = [
  'statistics',
  'kit',
  'json',
  'errors',
  'options',
  'schema',
  'output',
  'shape',
  'event-contract',
];

/**
 * Allowed imports of each room. Imports within a room are always allowed, and those of another
 * package's entries wherever its manifest allows the package.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  statistics: [],
  kit: [],
  json: ['kit'],
  errors: ['kit'],
  options: ['errors', 'kit'],
  schema: ['errors', 'json', 'kit'],
  output: ['schema', 'options', 'errors', 'json', 'kit'],
  shape: ['output', 'schema', 'errors', 'json', 'kit'],
  'event-contract': ['output', 'schema', 'errors', 'json', 'kit'],
  host: ['errors', 'kit'],
  ...Object.fromEntries(
    BELOW_RUN.map((room, index) => [room, ['host', 'failure', ...CORE, ...BELOW_RUN.slice(0, index)]]),
  ),
  store: ['host', 'errors', 'kit'],
  run: ['telemetry', 'tools', 'host', ...BELOW_RUN, ...CORE],
  ensemble: ['model', 'store', 'host', ...CORE],
  telemetry: ['errors', 'kit'],
  failure: CORE,
  tools: CORE,
  model: ['telemetry', 'failure', 'tools', 'host', ...CORE],
  'scripted-model': CORE,
  server: ['telemetry', 'failure', 'model', 'store', 'host', 'client', ...CORE],
  client: CORE,
  serve: [
    'failure',
    'scripted-model',
    'telemetry',
    'run',
    'model',
    'server',
    'client',
    'store',
    'host',
    ...BELOW_RUN,
    ...CORE,
  ],
  sandcastle: ['run', ...BELOW_RUN, ...CORE],
  testing: ['run', ...BELOW_RUN, ...CORE],
  cli: [
    'scripted-model',
    'testing',
    'serve',
    'run',
    'failure',
    'model',
    'host',
    'ensemble',
    'server',
    'client',
    ...BELOW_RUN,
    ...CORE,
  ],
  face: [
    'serve',
    'tools',
    'run',
    'model',
    'ensemble',
    'server',
    'client',
    'store',
    'sandcastle',
    ...BELOW_RUN,
    ...CORE,
  ],
};

const PURE_ROOMS = CORE;
/** Pure parts of impure folders. */
const PURE_FOLDERS = [
  'packages/client/src/state/',
  'packages/client/src/wire/',
  'packages/server/src/contract/',
  'packages/server/src/format/',
  'packages/server/src/finalizer/',
  'packages/server/src/turn/',
];
/** `new Date(ms)` renders a known time. It reads no clock. */
const IMPURE_NAMES =
  /\b(?:process|fetch|console|(?<!\bnew )Date|performance|setTimeout|setInterval|Buffer)\s*[.(]|\bMath\.random\b|\bnew Date\b(?!\(\w)/u;
const PURE_PACKAGES = ['@standard-schema/spec', 'zod'];

const edges = sourceFiles().flatMap(importsOf);

describe('the packages', () => {
  const imported = (folder: string): readonly string[] => [
    ...new Set(
      edges
        .filter(({ from, to, isOwn }) => isOwn && packageOf(from) === folder && packageOf(to) !== folder)
        .map(({ to }) => manifestOf(packageOf(to)).name),
    ),
  ];

  it.each(PACKAGES)('%s imports only packages that its manifest lists', (folder) => {
    const { dependencies = {}, devDependencies = {} }: Manifest = manifestOf(folder);
    // Bundled at build time.
    const bundled = Object.keys(devDependencies).filter((name) =>
      /^@truecast\/(?:host|testing)$/u.test(name),
    );
    const listed = [...Object.keys(dependencies), ...bundled];
    expect(imported(folder).filter((name) => !listed.includes(name))).toEqual([]);
    const own = listed.filter((name) => /^@?truecast(?:\/|$)/u.test(name));
    expect(own.filter((name) => !imported(folder).includes(name))).toEqual([]);
  });

  it('form no circle', () => {
    const names = new Map(PACKAGES.map((folder) => [manifestOf(folder).name, folder]));
    const below = (folder: string, trail: readonly string[]): void => {
      expect(trail, [...trail, folder].join(' -> ')).not.toContain(folder);
      const { dependencies = {}, devDependencies = {} } = manifestOf(folder);
      for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
        const next = names.get(name);
        if (next !== undefined) below(next, [...trail, folder]);
      }
    };
    for (const folder of PACKAGES) below(folder, []);
  });

  it('have one version, which they name exactly, and accept later ones of others', () => {
    const manifests = PACKAGES.map(manifestOf);
    expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
    for (const { dependencies = {}, version } of manifests) {
      for (const [name, range] of Object.entries(dependencies)) {
        const isOwn = /^@?truecast(?:\/|$)/u.test(name);
        expect(range, name).toMatch(isOwn ? new RegExp(`^${version}$`, 'u') : /^\^\d/u);
      }
    }
  });
});

describe('the rooms', () => {
  it('import only downwards', () => {
    const offenders = edges
      .filter(({ isOwn }) => isOwn)
      .filter(({ from, to }) => roomOf(from) !== roomOf(to))
      .filter(({ from, to }) => roomOf(to) !== 'face' || packageOf(from) === packageOf(to))
      .filter(({ from, to }) => !(MAY_IMPORT[roomOf(from)] ?? []).includes(roomOf(to)))
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(offenders).toEqual([]);
  });

  it('give the server the wire alone of its client', () => {
    const offenders = edges
      .filter(({ from, to }) => packageOf(from) === 'server' && to.startsWith('packages/client/'))
      .filter(({ to }) => !to.startsWith('packages/client/src/wire/'))
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(offenders).toEqual([]);
  });

  it('are all known to this test', () => {
    expect([...new Set(sourceFiles().map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });

  it('have no import cycles', () => {
    expect(findCycle()).toBeUndefined();
  });

  it('are entered by files, never by folders', () => {
    const barrels = sourceFiles().filter((path) => /\/src\/.+\/index\.ts$/u.test(path));
    const stars = sourceFiles().filter((path) => /^export \*/mu.test(readSource(path)));
    expect([...barrels, ...stars]).toEqual([]);
  });
});

describe('the core', () => {
  const core = sourceFiles().filter(
    (path) => PURE_ROOMS.includes(roomOf(path)) || PURE_FOLDERS.some((folder) => path.startsWith(folder)),
  );

  it('imports no Node built-in and only pure packages', () => {
    const offenders = edges
      .filter(({ from, isOwn }) => core.includes(from) && !isOwn)
      .filter(({ to }) => !PURE_PACKAGES.includes(to))
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(offenders).toEqual([]);
  });

  it('uses no clock, randomness, network, process or console', () => {
    const offenders = core.filter((path) => IMPURE_NAMES.test(withoutComments(readSource(path))));
    expect(offenders).toEqual([]);
  });
});

describe('every exported name', () => {
  /** Programs that start on their own, and the one word for a tool, of a server and of its client (ADR 0203). */
  const DECLARED_TWICE = ['main', 'tool'];

  it('has one meaning: it is declared in one file', () => {
    const declared = sourceFiles().flatMap((path) =>
      [...new Set(declaredNames(readSource(path)))].map((name) => [name, path] as const),
    );
    const offenders = [...Map.groupBy(declared, ([name]) => name)]
      .filter(([name, places]) => places.length > 1 && !DECLARED_TWICE.includes(name))
      .map(([name, places]) => `${name}: ${places.map(([, path]) => path).join(', ')}`);
    expect(offenders).toEqual([]);
  });
});

function declaredNames(text: string): readonly string[] {
  const pattern = /^export (?:abstract )?(?:async )?(?:function|const|class|interface|type) (\w+)/gmu;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

describe('every source file', () => {
  it('opens with a header comment', () => {
    const offenders = sourceFiles().filter(
      (path) => !/^(?:#!.*\n)?\/\*\*[\s\S]*?\*\/\n/u.test(readSource(path)),
    );
    expect(offenders).toEqual([]);
  });

  it('opens with the noun of what it is, not with what it owns', () => {
    const offenders = sourceFiles().filter((path) =>
      /^(?:#!.*\n)?\/\*\*\s*(?:\* )?Owns\b/u.test(readSource(path)),
    );
    expect(offenders).toEqual([]);
  });

  it('has at most 300 lines', () => {
    const offenders = sourceFiles().filter((path) => readSource(path).split('\n').length > 301);
    expect(offenders).toEqual([]);
  });

  it('throws typed errors only, and switches no lint off', () => {
    const offenders = sourceFiles().filter((path) => {
      const text = withoutComments(readSource(path));
      return /\bnew (?:Error|TypeError)\(/u.test(text) || /(?:eslint|oxlint)-disable/u.test(readSource(path));
    });
    expect(offenders).toEqual([]);
  });

  it('speaks of no planning, and leaves nothing undone', () => {
    const offenders = sourceFiles().filter((path) => /\b(?:TODO|FIXME|XXX|HACK)\b/u.test(readSource(path)));
    expect(offenders).toEqual([]);
  });

  it('parses JSON from outside only where its failure is told', () => {
    const allowed = /^packages\/(?:core\/src\/(?:json|output|schema)|testing\/src)\//u;
    const offenders = sourceFiles()
      .filter((path) => !allowed.test(path) && !JSON_READERS.includes(path))
      .filter((path) => /\b(?:JSON\.parse|jsonValueOf)\(/u.test(withoutComments(readSource(path))));
    expect(offenders).toEqual([]);
  });
});

/** Files outside the core that read JSON of a program or a file, each through a schema. */
const JSON_READERS: readonly string[] = [
  // The one function for a text that can be no JSON. Its callers are listed too.
  'packages/core/src/kit/json-value-of.ts',
  'packages/server/src/http/pages/console-files.ts',
  'packages/cli/src/init/find-defaults.ts',
  'packages/cli/src/flags/load-schema.ts',
  // A model's output. The contract validates every value of it.
  'packages/core/src/event-contract/whole-text.ts',
  // Written by the ledger's gate. Every fold reads it as untrusted.
  'packages/ensemble/src/ledger/store-ledger.ts',
  // A program that runs in the sandbox reads our own file.
  'packages/truecast/src/agents/acp/bridge-program.ts',
  // A program that it writes for the sandbox reads the user's settings.
  'packages/truecast/src/agents/gemini-cli/gemini-cli-home.ts',
  // Lines of agents, whose size and depth were checked before.
  'packages/truecast/src/agents/claude-code/claude-code.ts',
  'packages/truecast/src/agents/codex/codex-totals.ts',
  'packages/truecast/src/agents/cursor/cursor-stream.ts',
  'packages/truecast/src/agents/opencode/opencode-config.ts',
  'packages/truecast/src/agents/pi/pi-lines.ts',
  'packages/truecast/src/agents/pi/pi-stream.ts',
  'packages/truecast/src/agents/sessions/session-lines.ts',
  'packages/truecast/src/agents/stream/json-line-parser.ts',
  'packages/truecast/src/run/attachments/left-attachments.ts',
  'packages/truecast/src/run/batch/lines-file.ts',
  'packages/truecast/src/run/batch/pending-landings.ts',
  'packages/truecast/src/run/batch/read-batch-inputs.ts',
  'packages/truecast/src/git/checkout/checkout-journal.ts',
  'packages/truecast/src/git/command/lock-holder.ts',
  'packages/truecast/src/git/command/left-agents.ts',
  'packages/truecast/src/guest-git/store/guest-store.ts',
  'packages/truecast/src/run/executions/execution-store.ts',
  'packages/truecast/src/run/logging/read-outcomes.ts',
  'packages/truecast/src/run/record/recording.ts',
  'packages/truecast/src/run/review/placeholders.ts',
  'packages/truecast/src/sandboxes/egress/model/model-usage.ts',
  'packages/truecast/src/sandboxes/egress/model/request-cost.ts',
  'packages/truecast/src/sandboxes/containers/container-image.ts',
  'packages/truecast/src/sandboxes/containers/host-labels.ts',
  'packages/truecast/src/process/temporary-folder.ts',
  // Stored by the machine itself, each read through a schema.
  'packages/server/src/state/rows/stored-json.ts',
  'packages/store/src/postgres/postgres-listener.ts',
];

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/^\s*\/\/.*$/gmu, '');
}

/**
 * A schema's checks receive the run, and the run contains the schemas that it validates. This pair
 * of types is the only allowed cycle.
 */
function isInnate(from: string, to: string): boolean {
  return (
    from === 'packages/core/src/schema/engine/evaluation/schema-node.ts' &&
    to === 'packages/core/src/schema/engine/evaluation/validation-run.ts'
  );
}

/** Returns one cycle of imports, including type imports, or undefined. */
function findCycle(): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to, isOwn } of edges) {
    if (isOwn && !isInnate(from, to)) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of targets.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  return [...targets.keys()].map((path) => visit(path, [])).find((cycle) => cycle !== undefined);
}
