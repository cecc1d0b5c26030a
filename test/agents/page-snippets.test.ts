/** Runs the programs of the pages that need the real Claude Code, whose model is scripted. */
import { delimiter } from 'node:path';
import { expect, it } from 'vitest';
import { runnableSnippets, runSnippet } from '../docs/page-snippets.ts';
import { CLI_BIN_DIR, describeRealCli } from './real-cli.ts';

const ENVIRONMENT = {
  PATH: `${CLI_BIN_DIR}${delimiter}${process.env['PATH'] ?? ''}`,
  // As root, it refuses to skip permissions unless a variable declares a sandbox.
  IS_SANDBOX: '1',
};

const programs = runnableSnippets('ts run claude');

describeRealCli('claude', 'a program of the pages with the real Claude Code', () => {
  it.each(programs.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    'of %s prints what the page shows',
    async (_name, snippet) => {
      expect(snippet.expected, 'has a `text out` block').toBeTypeOf('string');
      expect(await runSnippet(snippet, ENVIRONMENT)).toBe(snippet.expected);
    },
  );
});
