/** Routes of webhooks: the secret of an owner, and the deliveries of a run. */
import {
  webhookDeliveriesView,
  webhookDeliveryView,
  webhookSecretView,
  type WebhookSecretView,
} from '@truecast/client/internal/wire/webhook';
import { view } from '@truecast/core/internal/shape/view';
import { toTime } from '../../../contract/to-time.ts';
import { toZod } from '../../../contract/to-zod.ts';
import type { WebhookSecrets } from '../../../runs/webhooks/deliveries.ts';
import { defineRoute, type HttpRoute } from '../../route.ts';
import { toDeliveryView } from '../../agent-run-views.ts';
import { ownedRun } from './agent-run-routes.ts';

/** The routes, in documentation order. */
export const WEBHOOK_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/runs/:run/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the deliveries of the webhook of a run; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The deliveries', schema: toZod(webhookDeliveriesView) },
    async handle(call) {
      const rows = await call.parts.agentRuns.listDeliveries(ownedRun(call));
      return { status: 200, body: { deliveries: rows.map(toDeliveryView) } };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/runs/:run/deliveries/:delivery/redeliver',
    operationId: 'redeliver',
    summary: 'Send a delivery again, also to an address that answered 410; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The delivery', schema: toZod(webhookDeliveryView) },
    async handle(call) {
      const deliveryId = call.params['delivery'] ?? '';
      const row = await call.parts.agentRuns.redeliver({ ...ownedRun(call), deliveryId });
      return { status: 200, body: toDeliveryView(row) };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/webhooks/secret',
    operationId: 'readWebhookSecret',
    summary: 'Read the secret that signs the webhooks of the token’s owner; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The secret', schema: toZod(webhookSecretView) },
    async handle({ parts, owner }) {
      return { status: 200, body: toSecretView(await parts.agentRuns.readSecrets(owner)) };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/webhooks/secret/rotate',
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret; the one before signs for one more day; needs the scope `runs`',
    scope: 'runs',
    answer: { status: 200, description: 'The new secret', schema: toZod(webhookSecretView) },
    async handle({ parts, owner }) {
      return { status: 200, body: toSecretView(await parts.agentRuns.rotateSecret(owner)) };
    },
  }),
];

function toSecretView({ secret, previous }: WebhookSecrets): WebhookSecretView {
  return view<WebhookSecretView>({
    secret,
    previous_secret: previous?.secret,
    previous_expires_at: previous && toTime(previous.expiresAt),
  });
}
