/** Pins what the package offers: adding a name is deliberate. */
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import * as agents from '../../src/exports/agents.ts';
import * as output from '../../src/exports/output.ts';
import * as schema from '../../src/exports/schema.ts';
import * as testing from '../../src/exports/testing.ts';
import * as root from '../../src/index.ts';

const names = (module: object): string[] => Object.keys(module).sort();

it('has the subpaths that are documented', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    '.',
    './output',
    './schema',
    './agents',
    './sandboxes/bubblewrap',
    './sandboxes/no-sandbox',
    './testing',
    './package.json',
  ]);
});

describe('the values of an entry', () => {
  it('truecast', () => {
    expect(names(root)).toEqual([
      'AgentError',
      'CwdError',
      'InterruptedError',
      'LimitError',
      'Output',
      'RepositoryError',
      'SandboxError',
      'SchemaError',
      'StructuredOutputError',
      'TruecastError',
      'UsageError',
      'bubblewrap',
      'canonicalJson',
      'claudeCode',
      'claudeHostSessionPath',
      'claudeSandboxSessionPath',
      'codex',
      'command',
      'compileJsonSchema',
      'createBindMountSandboxProvider',
      'createTagScanner',
      'describeFailure',
      'encodeProjectPath',
      'extractOutput',
      'findClaudeSessionOnHost',
      'findCodexSessionOnHost',
      'jsonSchema',
      'noSandbox',
      'run',
      'safeExtractOutput',
      'toJsonSchema',
      'transferClaudeSession',
      'transferCodexSession',
    ]);
  });

  it('truecast/output', () => {
    expect(names(output)).toEqual([
      'Output',
      'StructuredOutputError',
      'TruecastError',
      'UsageError',
      'createTagScanner',
      'describeFailure',
      'extractOutput',
      'safeExtractOutput',
    ]);
  });

  it('truecast/schema', () => {
    expect(names(schema)).toEqual([
      'SchemaError',
      'canonicalJson',
      'compileJsonSchema',
      'jsonSchema',
      'toJsonSchema',
    ]);
  });

  it('truecast/agents', () => {
    expect(names(agents)).toEqual(['claudeCode', 'codex', 'command']);
  });

  it('truecast/testing', () => {
    expect(names(testing)).toEqual([
      'offlineAgent',
      'reply',
      'sandboxContract',
      'scriptedAgent',
      'scriptedModelServer',
      'shellOutput',
      'step',
    ]);
  });
});
