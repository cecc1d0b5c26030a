/** Test of `truecast doctor` with the real agents: it finds each one, and names its version. */
import { readFileSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { FOUND_AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { FORM } from '../matrix.ts';
import { runCommand } from '../cli/run-command.ts';
import { AGENTS_FOLDER, CLI_BIN_DIRS, describeRealCli, makeWorkplace } from './real-cli.ts';

const packageFile = z.object({ version: z.string() });
const report = z.object({ findings: z.array(z.object({ name: z.string(), detail: z.string() })) });

function installedVersion(packageName: string): string {
  const folder = packageName.replace('opencode-ai', 'opencode-linux-x64');
  const file = join(AGENTS_FOLDER, 'node_modules', folder, 'package.json');
  return packageFile.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** Programs that take a second or more to print their version. The short form starts each in other suites. */
const SLOW = ['copilot', 'gemini', 'kimi', 'opencode'];

/** Makes a folder with the programs that this form tries. */
async function makePrograms(folder: string): Promise<string> {
  await mkdir(folder);
  const isTried = (name: string): boolean => FORM === 'whole' || !SLOW.includes(name);
  for (const source of CLI_BIN_DIRS.split(delimiter)) {
    for (const name of (await readdir(source)).filter(isTried)) {
      await symlink(join(source, name), join(folder, name)).catch(() => undefined);
    }
  }
  return folder;
}

describeRealCli('codex-acp', 'doctor with the real agents', () => {
  it('finds each agent that is installed, and names its version', async () => {
    await using work = await makeWorkplace({ 'README.md': 'hi\n' });
    const programs = await makePrograms(join(work.root, 'programs'));
    const { stdout } = await runCommand(['doctor', '--json'], {
      cwd: work.repo,
      env: { HOME: work.home, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` },
    });
    const { findings } = report.parse(JSON.parse(stdout));
    const detailOf = (name: string): string | undefined =>
      findings.find((finding) => finding.name === name)?.detail.split(';')[0];
    const fromNpm = FOUND_AGENTS.filter(({ npm }) => npm !== undefined);
    expect(fromNpm).toHaveLength(10);
    for (const { make, npm } of fromNpm) {
      const { name, program = '' } = make();
      if (FORM === 'short' && SLOW.includes(program)) continue;
      expect(detailOf(name), name).toContain(installedVersion(npm?.name ?? ''));
    }
  });
});
