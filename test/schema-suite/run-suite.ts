/**
 * Command `node test/schema-suite/run-suite.ts FOLDER [--draft 2020-12] [--optional] [--json]`:
 * runs `compileJsonSchema` on a folder with the layout of the JSON Schema Test Suite, which is not
 * part of this repository. Exits with 1 after a wrong verdict.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DraftReport, runDraft } from './run-draft.ts';
import { SUITE_DRAFTS } from './suite-files.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    draft: { type: 'string', multiple: true },
    optional: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const [folder] = positionals;
if (folder === undefined || !existsSync(join(folder, 'tests'))) {
  process.stderr.write(
    `Expected a folder that holds \`tests/draft2020-12\` and the like, got \`${folder ?? ''}\`. Give its path.\n`,
  );
  process.exit(2);
}

const present = Object.entries(SUITE_DRAFTS).filter(([, draft]) =>
  existsSync(join(folder, 'tests', draft.folder)),
);
const drafts = values.draft ?? present.map(([name]) => name);
const reports: DraftReport[] = [];
for (const draft of drafts) reports.push(await runDraft(folder, draft, values.optional));
process.stdout.write(
  `${values.json ? JSON.stringify(reports, undefined, 2) : reports.map((report) => show(report)).join('\n')}\n`,
);
process.exitCode = reports.some(({ failed }) => failed > 0) ? 1 : 0;

function show({ draft, passed, failed, refused, remote, misses }: DraftReport): string {
  const total = passed + failed + refused;
  const share = total === 0 ? '-' : `${((100 * passed) / total).toFixed(2)} %`;
  const rest = misses.map(
    ({ file, group, test, valid, outcome }) =>
      `  ${file} > ${group} > ${test}: ${outcome}, expected ${valid ? 'valid' : 'invalid'}`,
  );
  return [
    `${draft}: ${passed} passed (${share}), ${failed} failed, ${refused} refused, ${remote} left out for a remote document`,
    ...rest,
  ].join('\n');
}
