/** Exports of `@truecast/server`. */
export { createChatServer } from './serve/create-chat-server.ts';
export type { ChatServer, ChatServerOptions } from './serve/create-chat-server.ts';
export { defineServerConfig } from './config/server-config.ts';
export type { SandboxSetting } from './config/run-settings.ts';
export type { McpServerSetting, ServerConfig } from './config/server-config.ts';
export type { AccessToken, IssuedToken, NewToken, TokenScope } from './contract/access-tokens.ts';
export { tool } from './tools/own-tool.ts';
export type { OwnTool, OwnTools } from './tools/own-tool.ts';
export type { ToolCallContext, ToolTraits } from './tools/tool-traits.ts';
