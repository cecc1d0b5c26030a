/** Owns what `import … from 'truecast/server'` gives. */
export { defineServerConfig } from '../server/config/server-config.ts';
export type { McpServerSetting, SandboxSetting, ServerConfig } from '../server/config/server-config.ts';
