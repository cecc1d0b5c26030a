/** Routes of the caller and of access tokens. */
import { view } from '@truecast/core/internal/shape/view';
import { toTime } from '../../contract/to-time.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { toZod } from '../../contract/to-zod.ts';
import {
  createSessionBody,
  createTokenBody,
  issuedTokenView,
  meView,
  sessionCodeView,
  sessionView,
  tokenListView,
  usageView,
  type CreateSessionBody,
  type CreateTokenBody,
  type MeView,
  type UsageView,
} from '@truecast/client/internal/wire/account';
import type { OwnerUse } from '../../state/lists/owner-use.ts';
import { listTokens, revokeToken } from '../../tokens/token-rows.ts';
import { actorOf, issueToken } from '../../tokens/access-token.ts';
import { authorizationOf, endPageSession, startPageSession } from '../session/page-session.ts';
import { createSignInCode, useSignInCode } from '../session/sign-in-code.ts';
import { defineRoute, type Call, type HttpRoute } from '../route.ts';
import { toTokenView } from '../views.ts';

/** The routes, in documentation order. */
export const ACCOUNT_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/me',
    operationId: 'readMe',
    summary: 'Read the owner and the scopes of the token, and the features and limits of the server',
    scope: 'any',
    answer: { status: 200, description: 'The caller', schema: toZod(meView) },
    handle: (call) => Promise.resolve({ status: 200, body: toMeView(call) }),
  }),
  defineRoute<CreateSessionBody>({
    method: 'post',
    path: '/api/session',
    operationId: 'createSession',
    summary: 'Open a session of a browser for the token or a code: a cookie, and a key that is sent with it',
    scope: 'sign-in',
    body: toZod(createSessionBody),
    answer: {
      status: 201,
      description: 'The key; the cookie is in `Set-Cookie`',
      schema: toZod(sessionView),
    },
    async handle({ parts, headers, code, body: { value } }) {
      if (code !== undefined) await useSignInCode(parts.store, code);
      const authorization = code?.authorization ?? authorizationOf(headers);
      const { key, cookie } = startPageSession(headers, { authorization, isKept: value.keep === true });
      const sent = { 'content-type': 'application/json', 'set-cookie': cookie };
      return new Response(JSON.stringify({ key }), { status: 201, headers: sent });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/session',
    operationId: 'endSession',
    summary: 'End the session of a browser; the token stays valid',
    scope: 'any',
    answer: { status: 204, description: 'The cookie is removed' },
    handle: ({ headers }) =>
      Promise.resolve(
        new Response(null, { status: 204, headers: { 'set-cookie': endPageSession(headers) } }),
      ),
  }),
  defineRoute({
    method: 'post',
    path: '/api/session_codes',
    operationId: 'createSessionCode',
    summary: 'Create a code that opens one session of a browser for the token',
    scope: 'any',
    answer: {
      status: 201,
      description: 'The code; it is sent only here',
      schema: toZod(sessionCodeView),
    },
    async handle({ parts, headers }) {
      const { code, expiresAt } = await createSignInCode(parts.store, headers.get('authorization'));
      return { status: 201, body: { code, expires_at: toTime(expiresAt) } };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/usage',
    operationId: 'readUsage',
    summary: 'Read the use of your quotas',
    answer: { status: 200, description: 'The use and the limits', schema: toZod(usageView) },
    async handle({ parts, owner }) {
      return { status: 200, body: toUsageView(await parts.machine.readUsage(owner)) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/usage/:owner',
    operationId: 'readUsageOfOwner',
    summary: 'Read the use of any owner’s quotas; needs the scope `admin`',
    scope: 'admin',
    answer: { status: 200, description: 'The use and the limits', schema: toZod(usageView) },
    async handle({ parts, params }) {
      return { status: 200, body: toUsageView(await parts.machine.readUsage(params['owner'] ?? '')) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/tokens',
    operationId: 'listTokens',
    summary: 'List all access tokens; needs the scope `admin`',
    scope: 'admin',
    answer: { status: 200, description: 'The tokens, the oldest first', schema: toZod(tokenListView) },
    async handle({ parts }) {
      return { status: 200, body: { tokens: (await listTokens(parts.store.db)).map(toTokenView) } };
    },
  }),
  defineRoute<CreateTokenBody>({
    method: 'post',
    path: '/api/tokens',
    operationId: 'createToken',
    summary: 'Create an access token; needs the scope `admin`',
    scope: 'admin',
    body: toZod(createTokenBody),
    answer: {
      status: 201,
      description: 'The token; its text is sent only here',
      schema: toZod(issuedTokenView),
    },
    async handle({ parts, token, body: { value } }) {
      const { expires_in_seconds: seconds, ...given } = value;
      const expiry = seconds === undefined ? {} : { expiresInMs: seconds * 1_000 };
      const issued = await issueToken(parts.store, { ...given, ...expiry }, actorOf(token));
      return { status: 201, body: { ...toTokenView(issued), token: issued.token } };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/tokens/:tid',
    operationId: 'revokeToken',
    summary: 'Revoke an access token at once; needs the scope `admin`',
    scope: 'admin',
    answer: { status: 204, description: 'It is revoked' },
    async handle({ parts, token, params }) {
      const isRevoked = await revokeToken(parts.store, params['tid'] ?? '', Date.now(), actorOf(token));
      if (isRevoked) return { status: 204 };
      throw new RequestRefusedError(
        'There is no such token, or it is already revoked. List the tokens again.',
        {
          code: 'not-found',
        },
      );
    },
  }),
];

function toMeView({ parts, token }: Call<unknown, unknown>): MeView {
  const { limits, features } = parts;
  return view<MeView>({
    owner: token.owner,
    token_name: token.name,
    scopes: token.scopes,
    expires_at: token.expiresAt === undefined ? undefined : toTime(token.expiresAt),
    server_version: packageJson.version,
    features: {
      workspace: features.workspace,
      agents: features.agents,
      subagents: features.subagents,
      web_search: features.webSearch,
      connect_models: features.connectModels,
    },
    limits: {
      requests_per_minute: limits.requestsPerMinute,
      concurrent_requests: limits.concurrentRequests,
      open_streams: limits.openStreams,
    },
  });
}

function toUsageView({ owner, used, resetsAt, period, chats, concurrentTurns, limits }: OwnerUse): UsageView {
  return {
    owner,
    ...(used !== undefined && {
      period: {
        name: period,
        resets_at: toTime(resetsAt),
        turns: used.turns,
        tokens: used.tokens,
        cost_usd: used.costUsd,
      },
    }),
    chats,
    concurrent_turns: concurrentTurns,
    limits: {
      ...(limits.turns !== undefined && { turns: limits.turns }),
      ...(limits.tokens !== undefined && { tokens: limits.tokens }),
      ...(limits.costUsd !== undefined && { cost_usd: limits.costUsd }),
      ...(limits.chats !== undefined && { chats: limits.chats }),
      ...(limits.concurrentTurns !== undefined && { concurrent_turns: limits.concurrentTurns }),
    },
  };
}
