/**
 * Tests of spending in a kept sandbox: a daemon that an agent leaves behind spends neither between
 * runs nor on the budget of a later run.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { docker } from '../../packages/truecast/src/sandboxes/docker.ts';
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { describeWithEngine } from '../containers/describe-with-engine.ts';
import { TEST_IMAGE } from '../containers/shared-image.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { FORM } from '../matrix.ts';
import { CHARGE, startChargingModel, type ChargingModel } from './charging-model.ts';
import { makeRepository } from './fixture.ts';

/** With `node:http`: a start with `fetch` takes twice the processor time. */
const ASK = `const ask = (url) => new Promise((done, fail) => {
  const request = require('node:http').request(url + '/v1/messages', { method: 'POST' }, (response) =>
    response.resume().once('end', () => done(response.statusCode)));
  request.once('error', fail).end(JSON.stringify({ max_tokens: 960, messages: [] }));
});`;
/** Asks without end. Its environment is clean, so that it carries no mark of its command. */
const DAEMON = `${ASK} (async () => {
  for (;;) { await ask(process.argv[1]).catch(() => 0); require('node:fs').writeFileSync('asked', ''); }
})();`;
/** Ends as soon as the daemon has asked. */
const LEAVES_DAEMON = `const { spawn } = require('node:child_process');
  const fs = require('node:fs');
  fs.writeFileSync('url', process.env.MODEL_URL);
  const options = { env: {}, detached: true, stdio: 'ignore' };
  const middle = 'require("node:child_process").spawn(process.execPath, ["-e", process.argv[1], process.argv[2]], ' +
    JSON.stringify(options) + ').unref()';
  spawn(process.execPath, ['-e', middle, ${JSON.stringify(DAEMON)}, process.env.MODEL_URL], options).unref();
  const waiting = setInterval(() => fs.existsSync('asked') && clearInterval(waiting), 5);`;
const ASKS_ONCE = `${ASK} ask(process.env.MODEL_URL);`;

let model: ChargingModel;
beforeEach(async () => {
  model = await startChargingModel();
});
afterEach(() => model.close());

/**
 * A service of the caller, which cleans its environment too. It lives as long as a container. The
 * hook waits until the service has left its session: what is left in it ends with the hook.
 */
const SERVICE = [
  "env -i setsid sh -c ': > /tmp/service-started; exec sleep 7531' > /dev/null 2>&1 &",
  'until [ -e /tmp/service-started ]; do sleep 0; done',
].join(' ');
const COUNT_SERVICES = 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep -o "sleep [7]531" | wc -l';

function declare(makeProvider: () => SandboxProvider, keepsServices: boolean): void {
  it('keeps a daemon off the model between runs, and off the budget of the next', async () => {
    const agent = model.agent(LEAVES_DAEMON);
    await using sandbox = await createSandbox({
      branch: 'work',
      sandbox: makeProvider(),
      cwd: makeRepository(),
      agents: [agent],
      hooks: { sandbox: { onSandboxReady: [{ command: SERVICE }] } },
    });
    await sandbox.run({ agent, prompt: 'p', budget: { requests: 1_000 } });
    const after = model.charged;
    expect(after).toBeGreaterThan(0);
    expect((await sandbox.exec('grep -l "[n]ode:fs" /proc/[0-9]*/cmdline')).stdout).toBe('');
    const asked = await sandbox.exec(
      `node -e '${ASK.replaceAll("'", '"')} ask(process.argv[1]).then(console.log, () => console.log("none"))' "$(cat url)"`,
    );
    expect(asked.stdout.trim()).toMatch(/^(?:403|none)$/u);
    await sandbox.run({ agent: model.agent(ASKS_ONCE), prompt: 'p', budget: { requests: 1 } });
    expect(model.charged).toBe(after + CHARGE);
    if (keepsServices) expect((await sandbox.exec(COUNT_SERVICES)).stdout).toBe('1\n');
  });
}

describeInBubblewrap('in bubblewrap', () => declare(() => bubblewrap({ egress: 'model' }), false));
describeWithEngine('podman', 'in a podman container', () =>
  declare(() => podman({ imageName: TEST_IMAGE, egress: 'model' }), true),
);
// The short form tries one of the engines: both get the same commands.
if (FORM === 'whole') {
  describeWithEngine('docker', 'in a docker container', () =>
    declare(() => docker({ imageName: TEST_IMAGE, egress: 'model' }), true),
  );
}
