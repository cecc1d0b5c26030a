/** Zod schemas of the caller and of access tokens. Pure. */
import { z } from 'zod';
import type {
  CreateTokenBody,
  IssuedTokenView,
  MeView,
  TokenListView,
  TokenView,
  UsageView,
} from '@truecast/client/internal/wire/account';
import { TOKEN_SCOPES } from '../access-tokens.ts';
import { timeSchema } from '../time-schema.ts';
import type { WireSchema } from '../wire-schema.ts';

export type { CreateTokenBody, MeView, TokenView, UsageView } from '@truecast/client/internal/wire/account';

const MAX_NAME_CHARS = 200;
const scopes = z.array(z.enum(TOKEN_SCOPES));
const name = z.string().min(1).max(MAX_NAME_CHARS);

/** Schema of the caller. */
export const meViewSchema: WireSchema<MeView> = z
  .strictObject({
    owner: z.string(),
    token_name: z.string(),
    scopes,
    expires_at: timeSchema.exactOptional(),
    server_version: z.string(),
    features: z.strictObject({
      workspace: z.boolean(),
      agents: z.boolean(),
      subagents: z.boolean(),
      web_search: z.boolean(),
    }),
    limits: z.strictObject({
      requests_per_minute: z.number(),
      concurrent_requests: z.number(),
      open_streams: z.number(),
    }),
  })
  .meta({ ref: 'Me' });

const count = z.number();

/** Schema of the use of quotas. */
export const usageViewSchema: WireSchema<UsageView> = z
  .strictObject({
    owner: z.string(),
    period: z
      .strictObject({
        name: z.enum(['day', 'month']),
        resets_at: timeSchema,
        turns: count,
        tokens: count,
        cost_usd: count,
      })
      .exactOptional(),
    chats: count,
    concurrent_turns: count,
    limits: z.strictObject({
      turns: count.exactOptional(),
      tokens: count.exactOptional(),
      cost_usd: count.exactOptional(),
      chats: count.exactOptional(),
      concurrent_turns: count.exactOptional(),
    }),
  })
  .meta({ ref: 'Usage' });

const token = {
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  scopes,
  created_at: timeSchema,
  expires_at: timeSchema.exactOptional(),
  revoked_at: timeSchema.exactOptional(),
};

/** Schema of a token in a list. */
const tokenViewSchema: WireSchema<TokenView> = z.strictObject(token).meta({ ref: 'Token' });

/** Schema of the list of tokens. */
export const tokenListViewSchema: WireSchema<TokenListView> = z
  .strictObject({ tokens: z.array(tokenViewSchema) })
  .meta({ ref: 'TokenList' });

/** Schema of a new token. */
export const issuedTokenViewSchema: WireSchema<IssuedTokenView> = z
  .strictObject({ ...token, token: z.string() })
  .meta({ ref: 'IssuedToken' });

/** Schema of a token to create. */
export const createTokenBodySchema: WireSchema<CreateTokenBody> = z
  .strictObject({
    name,
    owner: name.exactOptional(),
    scopes: scopes.min(1).exactOptional(),
    expires_in_seconds: z.int().min(1).max(3_153_600_000).exactOptional(),
  })
  .meta({ ref: 'CreateToken' });
