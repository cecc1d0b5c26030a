/** Pins what the package offers: adding a name is deliberate. */
import { readFileSync } from 'node:fs';
import * as sandcastle from '@ai-hero/sandcastle';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import * as agents from '../../src/exports/agents.ts';
import * as ensemble from '../../src/exports/ensemble.ts';
import * as model from '../../src/exports/model.ts';
import * as output from '../../src/exports/output.ts';
import * as schema from '../../src/exports/schema.ts';
import * as testing from '../../src/exports/testing.ts';
import * as root from '../../src/index.ts';
import * as bubblewrap from '../../src/run/sandboxes/bubblewrap.ts';
import * as daytona from '../../src/run/sandboxes/daytona.ts';
import * as docker from '../../src/run/sandboxes/docker.ts';
import * as noSandbox from '../../src/run/sandboxes/no-sandbox.ts';
import * as podman from '../../src/run/sandboxes/podman.ts';
import * as vercel from '../../src/run/sandboxes/vercel.ts';

interface EntryPin {
  readonly subpath: string;
  readonly path: string;
  readonly module: object;
  /** Names in alphabetical order, parted by white space. */
  readonly values: string;
  readonly types: string;
}

const AGENT_TYPES = `AcpOptions AgentCommandOptions AgentEvent AgentExecution AgentProvider AgentSessionStorage AgentStreamParser AgentStreamParserOptions ClaudeCodeOptions CodexOptions CommandLineParser CommandOptions CopilotOptions CursorOptions LineAgentProvider LineAgentSessionStorage McpServerCommand ModelAccess NativeRoute NativeSchema ParsedStreamEvent PrintCommand ReplayOptions SessionLocation PiOptions OpenCodeOptions GeminiCliOptions`;
const OUTPUT_TYPES = `AnyOutputDefinition Attempt DeepPartial DescribeFailureOptions InferOutput Issue OutputArrayDefinition
  OutputCheckContext OutputChoiceDefinition OutputDefinition OutputHelpers OutputJsonDefinition OutputObjectDefinition OutputOptions
  OutputStringDefinition PartialOutput Provenance Repair Route SafeExtractResult StructuredOutputErrorCode
  StructuredOutputErrorOptions TagScanner Via`;
const MODEL_TYPES = `GenerateBudget GenerateMessage GenerateModel GenerateOptions GeneratePrices GenerateResult GenerateRoute GenerateStream ModelErrorCode ModelErrorOptions OpenAICompatibleOptions`;
const BATCH_TYPES = `BatchFailure BatchInput BatchInputs BatchItem BatchOptions BatchOptionsWithOutput BatchProgress BatchQueue
  BatchResult BatchSuccess BatchSummary`;
const SCHEMA_TYPES = `FromJsonSchema JsonSchema JsonSchemaHelper JsonSchemaResult JsonSchemaValidator JsonValue LoweredJsonSchema SchemaChange SchemaDialect SchemaLoss SchemaErrorCode
  SchemaErrorOptions SchemaLimits StandardJsonSchema`;

const ENTRIES: readonly EntryPin[] = [
  {
    subpath: '.',
    path: 'index.ts',
    module: root,
    values: `ModelError generate openAICompatible streamGenerate AgentError CwdError InterruptedError LimitError Output RepositoryError SandboxError SchemaError StructuredOutputError TruecastError UsageError acp bubblewrap canonicalJson claudeCode claudeHostSessionPath claudeSandboxSessionPath codex command compileJsonSchema copilot cursor createBindMountSandboxProvider createIsolatedSandboxProvider createSandbox createTagScanner createWorktree describeFailure docker encodeProjectPath extractOutput findClaudeSessionOnHost findCodexSessionOnHost findUnexpressed interactive jsonSchema lowerJsonSchema noSandbox podman replay run runBatch safeExtractOutput toJsonSchema transferClaudeSession transferCodexSession pi opencode geminiCli`,
    types: `${AGENT_TYPES} ${OUTPUT_TYPES} ${SCHEMA_TYPES} ${BATCH_TYPES} ${MODEL_TYPES}
      AgentErrorCode AgentErrorOptions AgentStreamEvent BindMountSandboxProvider BindMountSandboxProviderOptions BranchStrategy
      BubblewrapOptions Budget CloseResult CreateSandboxOptions CreateWorktreeOptions InteractiveOptions InteractiveResult ResumeSandboxRunResultOptions Sandbox SandboxInteractiveOptions SandboxInteractiveResult SandboxRunOptions SandboxRunOptionsWithOutput SandboxRunResult Worktree WorktreeBranchStrategy WorktreeCreateSandboxOptions WorktreeInteractiveOptions WorktreeRunOptions WorktreeRunOptionsWithOutput WorktreeRunResult ClaudeSessionStorageOptions CodexSessionStorageOptions CopilotSessionStorageOptions CommitRef ContinueOptions ContinueSession DockerOptions PodmanOptions
      EgressAllow EgressObserver EgressPolicy HeadBranchStrategy HostHook HostSessionLookup IsolatedSandboxHandle IsolatedSandboxProvider IsolatedSandboxProviderOptions IterationResult LifecycleEvent LimitErrorCode LimitErrorOptions
      LoggingOption MergeToHeadBranchStrategy ModelRequest MountConfig NamedBranchStrategy NoSandboxOptions
      NoSandboxProvider Prices PromptArg PromptArgs RepositoryErrorCode RepositoryErrorOptions RunEvent RunEvidence
      RunOptions RunOptionsWithOutput RunPromise RunResult RunResultWithOutput SandboxCreateOptions SandboxErrorCode
      SandboxErrorOptions SandboxExecOptions SandboxExecResult SandboxHandle SandboxHook SandboxHooks SandboxProvider SentBeside Timeouts
      TruecastErrorOptions Usage UsageErrorCode WorktreeGitPaths PiSessionStorageOptions OpencodeSessionStorageOptions GeminiSessionStorageOptions`,
  },
  {
    subpath: './output',
    path: 'exports/output.ts',
    module: output,
    values: `Output StructuredOutputError TruecastError UsageError createTagScanner describeFailure extractOutput
      safeExtractOutput`,
    types: OUTPUT_TYPES,
  },
  {
    subpath: './schema',
    path: 'exports/schema.ts',
    module: schema,
    values:
      'SchemaError canonicalJson compileJsonSchema findUnexpressed jsonSchema lowerJsonSchema toJsonSchema',
    types: SCHEMA_TYPES,
  },
  {
    subpath: './agents',
    path: 'exports/agents.ts',
    module: agents,
    values: 'acp claudeCode codex command copilot cursor replay pi opencode geminiCli',
    types: AGENT_TYPES,
  },
  {
    subpath: './ensemble',
    path: 'exports/ensemble.ts',
    module: ensemble,
    values: 'UsageError eventSchema jsonInstruction parseAgentOutput stubEvent',
    types: `EventContractOptions EventPayload EventRepair EventRepairKind EventTier EventViolation EventViolationCode
      ParseAgentOutputOptions ParsedAgentOutput StubEventOptions`,
  },
  {
    subpath: './model',
    path: 'exports/model.ts',
    module: model,
    values: 'ModelError generate openAICompatible streamGenerate',
    types: MODEL_TYPES,
  },
  {
    subpath: './sandboxes/bubblewrap',
    path: 'run/sandboxes/bubblewrap.ts',
    module: bubblewrap,
    values: 'bubblewrap',
    types: 'BubblewrapOptions',
  },
  {
    subpath: './sandboxes/daytona',
    path: 'run/sandboxes/daytona.ts',
    module: daytona,
    values: 'daytona',
    types: 'DaytonaOptions',
  },
  {
    subpath: './sandboxes/docker',
    path: 'run/sandboxes/docker.ts',
    module: docker,
    values: 'defaultImageName docker',
    types: 'DockerOptions',
  },
  {
    subpath: './sandboxes/no-sandbox',
    path: 'run/sandboxes/no-sandbox.ts',
    module: noSandbox,
    values: 'noSandbox',
    types: 'NoSandboxOptions',
  },
  {
    subpath: './sandboxes/podman',
    path: 'run/sandboxes/podman.ts',
    module: podman,
    values: 'defaultImageName podman',
    types: 'PodmanOptions',
  },
  {
    subpath: './sandboxes/vercel',
    path: 'run/sandboxes/vercel.ts',
    module: vercel,
    values: 'vercel',
    types: 'VercelOptions',
  },
  {
    subpath: './testing',
    path: 'exports/testing.ts',
    module: testing,
    values:
      'localIsolatedSandbox offlineAgent reply sandboxContract scriptedAgent scriptedModelServer shellOutput step',
    types: `AgentStep LocalIsolatedSandboxOptions ModelScript OfflineAgentOptions RecordedRequest ReplyBuilders ScriptStep ScriptedAgent
      ScriptedAgentCall ScriptedAgentOptions ScriptedModelServer ScriptedModelServerOptions ScriptedReply ScriptedTurn
      StepBuilders`,
  },
];

const listed = (names: string): string[] => names.split(/\s+/u).sort();

/** The names of types that a module exports: its own, and those it hands on. */
function exportedTypes(path: string): string[] {
  const text = readFileSync(new URL(`../../src/${path}`, import.meta.url), 'utf8');
  const handedOn = [...text.matchAll(/^export type \{([^}]*)\}/gmu)].flatMap((match) =>
    (match[1] ?? '').split(',').map((name) => name.trim()),
  );
  const own = [...text.matchAll(/^export (?:interface|type) (\w+)/gmu)].map((match) => match[1] ?? '');
  return [...handedOn, ...own].filter((name) => name !== '').sort();
}

it('has the subpaths and the command that are documented', () => {
  expect(packageJson.exports).toEqual({
    '.': { types: './dist/index.d.mts', default: './dist/index.mjs' },
    './output': { types: './dist/output.d.mts', default: './dist/output.mjs' },
    './schema': { types: './dist/schema.d.mts', default: './dist/schema.mjs' },
    './agents': { types: './dist/agents.d.mts', default: './dist/agents.mjs' },
    './ensemble': { types: './dist/ensemble.d.mts', default: './dist/ensemble.mjs' },
    './model': { types: './dist/model.d.mts', default: './dist/model.mjs' },
    './sandboxes/bubblewrap': {
      types: './dist/sandboxes/bubblewrap.d.mts',
      default: './dist/sandboxes/bubblewrap.mjs',
    },
    './sandboxes/daytona': {
      types: './dist/sandboxes/daytona.d.mts',
      default: './dist/sandboxes/daytona.mjs',
    },
    './sandboxes/docker': {
      types: './dist/sandboxes/docker.d.mts',
      default: './dist/sandboxes/docker.mjs',
    },
    './sandboxes/no-sandbox': {
      types: './dist/sandboxes/no-sandbox.d.mts',
      default: './dist/sandboxes/no-sandbox.mjs',
    },
    './sandboxes/podman': {
      types: './dist/sandboxes/podman.d.mts',
      default: './dist/sandboxes/podman.mjs',
    },
    './sandboxes/vercel': {
      types: './dist/sandboxes/vercel.d.mts',
      default: './dist/sandboxes/vercel.mjs',
    },
    './testing': { types: './dist/testing.d.mts', default: './dist/testing.mjs' },
    './package.json': './package.json',
  });
  expect(packageJson.bin).toEqual({ truecast: './dist/cli.mjs' });
});

it('pins every subpath', () => {
  const code = Object.keys(packageJson.exports).filter((subpath) => subpath !== './package.json');
  expect(ENTRIES.map(({ subpath }) => subpath)).toEqual(code);
});

describe.each(ENTRIES)('the entry $subpath', ({ path, module, values, types }) => {
  it('has these values', () => {
    expect(Object.keys(module).sort()).toEqual(listed(values));
  });

  it('has these types', () => {
    expect(exportedTypes(path)).toEqual(listed(types));
  });
});

it('has every value that sandcastle 0.12.0 exports', () => {
  expect(Object.keys(root)).toEqual(expect.arrayContaining(Object.keys(sandcastle)));
});
