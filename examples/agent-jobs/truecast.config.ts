/** Configuration of the server and its workers: the repository and the agent of the runs. */
import { defineServerConfig } from '@truecast/server';

export default defineServerConfig({
  repositories: { web: { path: process.env['WEB_REPOSITORY'] ?? '.' } },
  runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'model', places: 2 },
});
