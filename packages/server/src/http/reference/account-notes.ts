/** Notes of the operations on the caller, quotas and tokens. */
import type { OperationNotes } from './operation-note.ts';
import { TOKEN_EXAMPLE } from './example-views.ts';

const USAGE = {
  owner: 'anna',
  period: {
    name: 'month',
    resets_at: '2026-12-01T00:00:00.000Z',
    turns: 120,
    tokens: 310_000,
    cost_usd: 4.2,
  },
  chats: 12,
  concurrent_turns: 1,
  limits: { tokens: 5_000_000, cost_usd: 20 },
};

export const ACCOUNT_NOTES: Readonly<Record<string, OperationNotes>> = {
  readMe: {
    tag: 'Account',
    description: 'Returns who the token belongs to, what it allows, and the limits of this server.',
    answer: {
      owner: 'local',
      token_name: 'serve',
      scopes: ['chats', 'project', 'metrics', 'admin'],
      server_version: '0.1.0',
      features: { workspace: true, agents: true, subagents: true, web_search: false },
      limits: { requests_per_minute: 600, concurrent_requests: 32, open_streams: 32 },
    },
  },
  createSession: {
    tag: 'Account',
    description:
      'Splits the token of the request into two halves, for pages of this server. A code of a link, sent as the bearer token, stands for its token once. A browser sends the cookie by itself. The page sends the key as a bearer token. Revoking the token ends the session. Only tokens of this server can open one.',
    body: { keep: true },
    answer: { key: 'tcs_…' },
  },
  createSessionCode: {
    tag: 'Account',
    description:
      'Creates a code that signs one browser in, within 10 minutes. Its link is `/#code=` and the code: browsers do not send that part of an address to a server. The page exchanges the code at `POST /api/session`. No other route accepts it. Keys of sessions can create none.',
    answer: { code: 'tcl_…', expires_at: '2026-11-23T12:10:00.000Z' },
  },
  endSession: {
    tag: 'Account',
    description: 'Removes the cookie of the session from the browser.',
  },
  readUsage: {
    tag: 'Account',
    description:
      'Returns how much of your quotas is used. `period` is absent if you have no quota: the server then counts nothing.',
    answer: USAGE,
  },
  readUsageOfOwner: {
    tag: 'Account',
    description:
      'Returns how much of the quotas of an owner is used. An unknown owner has used nothing, because the configuration can name owners before their first request.',
    answer: USAGE,
  },
  listTokens: {
    tag: 'Account',
    description:
      'Returns all tokens with their scopes, also revoked ones. The text of a token is never sent again.',
    answer: { tokens: [TOKEN_EXAMPLE] },
  },
  createToken: {
    tag: 'Account',
    description:
      'Creates a token. Its text is in this response only. Without an expiry, it is valid until revoked.',
    body: { name: 'nightly build', scopes: ['chats'], expires_in_seconds: 2_592_000 },
    answer: { ...TOKEN_EXAMPLE, expires_at: '2026-12-23T12:04:29.120Z', token: 'tc_…' },
  },
  revokeToken: {
    tag: 'Account',
    description: 'Revokes a token at once. Its open streams end.',
  },
};
