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
    index: 'src/index.ts',
    output: 'src/exports/output.ts',
    schema: 'src/exports/schema.ts',
    agents: 'src/exports/agents.ts',
    client: 'src/exports/client.ts',
    ensemble: 'src/exports/ensemble.ts',
    model: 'src/exports/model.ts',
    server: 'src/exports/server.ts',
    testing: 'src/exports/testing.ts',
    'sandboxes/bubblewrap': 'src/sandboxes/bubblewrap.ts',
    'sandboxes/daytona': 'src/sandboxes/daytona.ts',
    'sandboxes/docker': 'src/sandboxes/docker.ts',
    'sandboxes/no-sandbox': 'src/sandboxes/no-sandbox.ts',
    'sandboxes/podman': 'src/sandboxes/podman.ts',
    'sandboxes/vercel': 'src/sandboxes/vercel.ts',
    cli: 'src/cli/start.ts',
    // Started by path, not imported: inside a sandbox, and as the quickstart's agent.
    forwarder: 'src/sandboxes/egress/forwarder.ts',
    bridge: 'src/run/finalizer/bridge.ts',
    'offline-agent': 'src/testing/offline-agent/offline-agent.ts',
    'scripted-agent-program': 'src/testing/scripted-agent/scripted-agent-program.ts',
  },
  dts: true,
  // A prefix, so that no shared chunk has the name of an entry. Programs are found by path next to it.
  outputOptions: { chunkFileNames: 'shared-[name].mjs' },
});

/** Sent into sandboxes without `node_modules`, so it bundles everything that it imports. */
const bridge: UserConfig = defineConfig({
  ...COMMON,
  entry: { 'acp-bridge': 'src/agents/acp/bridge.ts' },
  deps: { alwaysBundle: /./u, onlyBundle: false },
  clean: false,
  dts: false,
  minify: true,
});

const configs: UserConfig[] = [entries, bridge];

export default configs;
