/** Store and types of tokens, for programs that have no dependency on the store's package. */
export { openStore } from '@truecast/store';
export type { Store } from '@truecast/store';
export { TOKEN_SCOPES } from '../contract/access-tokens.ts';
export type { AccessToken, TokenScope } from '../contract/access-tokens.ts';
