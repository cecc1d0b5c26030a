/** Agent runs of a repository at an address, up to the fetch of its clone. */
import { expect } from 'vitest';
import { openExecutor } from '../../../packages/server/src/serve/open-runs.ts';
import { startGitServer } from '../../git-server.ts';
import { temporaryFolder } from '../../run/fixture.ts';
import { claimRun, makeReport } from '../../server/claimed-run.ts';

const PASSWORD = 'correct-horse-4711';

/** The server refuses the credential, and git quotes the address. */
export async function maskCredential(): Promise<void> {
  const server = await startGitServer('another-password');
  const executor = await openExecutor(
    {
      repositories: { web: { url: server.url, credential: { env: 'API_GIT' } } },
      runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
    },
    { environment: { API_GIT: PASSWORD }, folder: temporaryFolder() },
  );
  const { notes, events, report } = makeReport();
  const ending = await executor?.execute(claimRun(), report);
  expect(server.authorizations.at(-1)).toContain('Basic ');
  expect(ending).toMatchObject({ status: 'failed', error: { code: 'repository_failed' } });
  const said = JSON.stringify([ending, notes, events]);
  expect(said).not.toContain(PASSWORD);
  expect(said).not.toContain(server.url);
}
