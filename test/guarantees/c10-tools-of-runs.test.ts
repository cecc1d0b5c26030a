/** Tests of C10: an agent that calls functions of the program wrongly, for secrets, for too much and for ever. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { makeRepository } from '../run/fixture.ts';
import { call, callReversed, submittingAgent } from '../run/submitting-agent.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';

/** Without the shape of a known token: only its declaration makes it a secret. */
const SECRET = 'correct-horse-battery-staple-9';
const MAX_CHARS = 65_536;

async function callTools(route: AgentRouteName, provider: SandboxProvider = noSandbox()): Promise<void> {
  const heard: string[] = [];
  const seen: number[] = [];
  await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: '',
    agent: submittingAgent([
      call('ticket', { id: 'seven' }),
      callReversed('ticket', { id: 7 }),
      call('long', {}),
      call('slow', {}),
    ]),
    provider,
    env: { DEPLOY_SECRET: SECRET },
    options: {
      logging: {
        type: 'file',
        onAgentStreamEvent: (event) => {
          if (event.type === 'text') heard.push(event.message);
        },
      },
      tools: {
        ticket: {
          inputSchema: z.object({ id: z.int() }),
          execute: ({ id }: { readonly id: number }) => {
            seen.push(id);
            return `ticket ${id}, token ${SECRET}`;
          },
        },
        long: { inputSchema: z.object({}), execute: () => 'x'.repeat(2 * MAX_CHARS) },
        slow: { inputSchema: z.object({}), timeoutMs: 50, execute: () => new Promise(() => undefined) },
      },
    },
  });
  const text = heard.join('');
  expect(seen).toEqual([7]);
  expect(text).toContain('ticket failed: The arguments of `ticket` do not fit its schema');
  expect(text).toMatch(/^ticket returned: \*+ nekot ,7 tekcit$/mu);
  expect(/^long returned: (?<result>.*)$/mu.exec(text)?.groups?.['result']?.length).toBe(MAX_CHARS);
  expect(text).toContain('slow failed: The tool failed: It did not end within 50 ms.');
}

declareGuarantee('C10', {
  'run/none': () => callTools('run/none'),
  'run/bubblewrap': () => callTools('run/bubblewrap', bubblewrap({ egress: 'none' })),
  'run/podman': () => callTools('run/podman', podman({ imageName: TEST_IMAGE, egress: 'none' })),
  kept: () => callTools('kept'),
  batch: () => callTools('batch'),
});
