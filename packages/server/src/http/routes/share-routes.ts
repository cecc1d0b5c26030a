/** Routes of share links of receipts. */
import { toTime } from '../../contract/to-time.ts';
import { toZod } from '../../contract/to-zod.ts';
import {
  createShareBody,
  issuedShareView,
  sharedReceiptView,
  shareListView,
  type CreateShareBody,
  type ShareView,
} from '@truecast/client/internal/wire/share';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import {
  addShare,
  listShares,
  readShared,
  revokeShare,
  type ReceiptShare,
} from '../../state/shares/receipt-shares.ts';
import { defineRoute, type HttpRoute } from '../route.ts';
import { newShareKey, unknownShare } from '../share-access.ts';

const DEFAULT_SECONDS = 7 * 24 * 3_600;

/** The routes, in documentation order. */
export const SHARE_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/requests/:rid/shares',
    operationId: 'listShares',
    summary: 'List the valid share links of a receipt, without their keys',
    answer: { status: 200, description: 'The links, newest first', schema: toZod(shareListView) },
    async handle({ parts, owner, params }) {
      const requestId = params['rid'] ?? '';
      const shares = await listShares(parts.store.db, { owner, requestId }, Date.now());
      return { status: 200, body: { shares: shares.map(toShareView) } };
    },
  }),
  defineRoute<CreateShareBody>({
    method: 'post',
    path: '/api/requests/:rid/shares',
    operationId: 'createShare',
    summary: 'Create a share link of a receipt',
    body: toZod(createShareBody),
    answer: {
      status: 201,
      description: 'The link; its key is sent only here',
      schema: toZod(issuedShareView),
    },
    async handle({ parts, owner, token, params, body: { value } }) {
      const { key, hash } = newShareKey();
      const lifeMs = (value.expires_in_seconds ?? DEFAULT_SECONDS) * 1_000;
      const share = { owner, requestId: params['rid'] ?? '', hash, lifeMs, actor: `token:${token.id}` };
      const added = await addShare(parts.store, share, Date.now());
      return { status: 201, body: { ...toShareView(added), key } };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/requests/:rid/shares/:sid',
    operationId: 'revokeShare',
    summary: 'Revoke a share link at once',
    answer: { status: 204, description: 'It is revoked' },
    async handle({ parts, owner, token, params }) {
      const share = {
        id: params['sid'] ?? '',
        owner,
        requestId: params['rid'] ?? '',
        actor: `token:${token.id}`,
      };
      if (await revokeShare(parts.store, share, Date.now())) return { status: 204 };
      throw new RequestRefusedError('The receipt has no such link. List its links again.', {
        code: 'not-found',
      });
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/shared_receipt',
    operationId: 'readSharedReceipt',
    summary: 'Read the receipt of a share link, with its key as the bearer token',
    scope: 'share',
    answer: { status: 200, description: 'The receipt', schema: toZod(sharedReceiptView) },
    async handle({ parts, share }) {
      const request = share && (await readShared(parts.store.db, share));
      if (share === undefined || request === undefined) throw unknownShare();
      const { receipt, schemaText } = request;
      return {
        status: 200,
        body: { receipt, schema_text: schemaText, expires_at: toTime(share.expiresAt) },
      };
    },
  }),
];

function toShareView({ id, createdAt, expiresAt }: ReceiptShare): ShareView {
  return { id, created_at: toTime(createdAt), expires_at: toTime(expiresAt) };
}
