/** Exports of `truecast/server`. */
export { createServer } from '../serve/create-server.ts';
export type { ChatServer, CreateServerOptions } from '../serve/create-server.ts';
export { defineServerConfig } from '../server/config/server-config.ts';
export type { McpServerSetting, SandboxSetting, ServerConfig } from '../server/config/server-config.ts';
export type { AccessToken, IssuedToken, NewToken, TokenScope } from '../server/contract/access-tokens.ts';
export { serverTool } from '../server/tools/own-tool.ts';
export type { OwnTool, OwnTools } from '../server/tools/own-tool.ts';
export type { ToolCallContext, ToolTraits } from '../server/tools/tool-traits.ts';
