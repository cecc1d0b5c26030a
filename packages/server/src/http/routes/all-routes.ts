/** All routes that need a token. */
import type { HttpRoute } from '../route.ts';
import { ACCOUNT_ROUTES } from './account-routes.ts';
import { AGENT_RUN_ROUTES } from './runs/agent-run-routes.ts';
import { BATCH_ROUTES } from './runs/batch-routes.ts';
import { CHAT_ROUTES } from './chat-routes.ts';
import { ENSEMBLE_ROUTES } from './ensemble-routes.ts';
import { MESSAGE_ROUTES } from './message-routes.ts';
import { QUALITY_ROUTES } from './quality-routes.ts';
import { REQUEST_ROUTES } from './request-routes.ts';
import { NEXT_RUN_ROUTES } from './runs/next-run-routes.ts';
import { KEPT_RUN_ROUTES } from './kept-run-routes.ts';
import { RUN_CHANGES_ROUTES } from './runs/run-changes-routes.ts';
import { RUN_PLACE_ROUTES } from './runs/run-place-routes.ts';
import { SCHEMA_ROUTES } from './schema-routes.ts';
import { SERVER_ROUTES } from './server-routes.ts';
import { SHARE_ROUTES } from './share-routes.ts';
import { STREAM_ROUTES } from './stream-route.ts';
import { TURN_ROUTES } from './turn-routes.ts';
import { WEBHOOK_ROUTES } from './runs/webhook-routes.ts';

/** Every route, in documentation order. */
export const ROUTES: readonly HttpRoute[] = [
  ...CHAT_ROUTES,
  ...MESSAGE_ROUTES,
  ...TURN_ROUTES,
  ...STREAM_ROUTES,
  ...REQUEST_ROUTES,
  ...SHARE_ROUTES,
  ...SCHEMA_ROUTES,
  ...QUALITY_ROUTES,
  ...AGENT_RUN_ROUTES,
  ...NEXT_RUN_ROUTES,
  ...RUN_CHANGES_ROUTES,
  ...WEBHOOK_ROUTES,
  ...RUN_PLACE_ROUTES,
  ...BATCH_ROUTES,
  ...KEPT_RUN_ROUTES,
  ...ENSEMBLE_ROUTES,
  ...SERVER_ROUTES,
  ...ACCOUNT_ROUTES,
];
