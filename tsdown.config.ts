/** Build of the package: one ESM entry per subpath export, and the programs that run as separate processes. */
import { defineConfig, type UserConfig } from 'tsdown';

const COMMON = {
  format: 'esm',
  platform: 'node',
  target: 'node22',
  hash: false,
  fixedExtension: true,
} as const;

const entries: UserConfig = defineConfig({
  ...COMMON,
  entry: {
    index: 'packages/truecast/src/index.ts',
    output: 'packages/truecast/src/exports/output.ts',
    schema: 'packages/truecast/src/exports/schema.ts',
    agents: 'packages/truecast/src/exports/agents.ts',
    client: 'packages/client/src/index.ts',
    ensemble: 'packages/ensemble/src/index.ts',
    model: 'packages/model/src/index.ts',
    server: 'packages/server/src/index.ts',
    testing: 'packages/truecast/src/exports/testing.ts',
    'sandboxes/bubblewrap': 'packages/truecast/src/sandboxes/bubblewrap.ts',
    'sandboxes/daytona': 'packages/truecast/src/sandboxes/daytona.ts',
    'sandboxes/docker': 'packages/truecast/src/sandboxes/docker.ts',
    'sandboxes/no-sandbox': 'packages/truecast/src/sandboxes/no-sandbox.ts',
    'sandboxes/podman': 'packages/truecast/src/sandboxes/podman.ts',
    'sandboxes/vercel': 'packages/truecast/src/sandboxes/vercel.ts',
    cli: 'packages/truecast/src/cli/start.ts',
    // Started by path, not imported: inside a sandbox, and as the quickstart's agent.
    forwarder: 'packages/truecast/src/sandboxes/egress/forwarder.ts',
    bridge: 'packages/truecast/src/run/finalizer/bridge.ts',
    'offline-agent': 'packages/truecast/src/testing/offline-agent/offline-agent.ts',
    'scripted-agent-program': 'packages/truecast/src/testing/scripted-agent/scripted-agent-program.ts',
  },
  dts: true,
  // A prefix, so that no shared chunk has the name of an entry. Programs are found by path next to it.
  outputOptions: { chunkFileNames: 'shared-[name].mjs' },
});

/** Sent into sandboxes without `node_modules`, so it bundles everything that it imports. */
const bridge: UserConfig = defineConfig({
  ...COMMON,
  entry: { 'acp-bridge': 'packages/truecast/src/agents/acp/bridge.ts' },
  deps: { alwaysBundle: /./u, onlyBundle: false },
  clean: false,
  dts: false,
  minify: true,
});

const configs: UserConfig[] = [entries, bridge];

export default configs;
