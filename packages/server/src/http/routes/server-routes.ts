/** Server routes: the models and their connections, and the dry run of a response format. */
import type { Prices } from '@truecast/core/internal/kit/usage';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { view } from '@truecast/core/internal/shape/view';
import {
  connectionView,
  connectModelBody,
  type ConnectionView,
  type ConnectModelBody,
} from '@truecast/client/internal/wire/model-connection';
import type { ConnectionResult, ModelConnections } from '../../models/model-connections.ts';
import { actorOf } from '../../tokens/access-token.ts';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { toZod } from '../../contract/to-zod.ts';
import { modelListView, type ModelView } from '@truecast/client/internal/wire/chat';
import { dryRunBody, dryRunView } from '@truecast/client/internal/wire/response-format';
import { DIALECT_NAMES } from '../../contract/wire-codes.ts';
import { dryRunFormat } from '../../format/dry-run.ts';
import { defineRoute, type HttpRoute } from '../route.ts';
import type { ServerModels, ServerParts } from '../server-parts.ts';

/** The routes, in documentation order. */
export const SERVER_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'get',
    path: '/api/models',
    operationId: 'listModels',
    summary: 'List the models that chats can run on',
    answer: { status: 200, description: 'The models', schema: toZod(modelListView) },
    async handle({ parts: { models } }) {
      return { status: 200, body: { models: models.list().map((id) => toModelView(models, id)) } };
    },
  }),
  defineRoute<ConnectModelBody>({
    method: 'post',
    path: '/api/models',
    operationId: 'connectModel',
    summary: 'Call a model once, and connect it to this process until it ends; needs the scope `admin`',
    scope: 'admin',
    body: toZod(connectModelBody),
    answer: {
      status: 200,
      description: 'The connected model, or why the call failed',
      schema: toZod(connectionView),
    },
    async handle({ parts, token, owner, body, signal }) {
      const connections = connectionsOf(parts);
      const result = await connections.connect(body.value, { owner, actor: actorOf(token) }, signal);
      return { status: 200, body: toConnectionView(parts.models, result) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/models/:model',
    operationId: 'disconnectModel',
    summary: 'Disconnect a model that was connected to this process; needs the scope `admin`',
    scope: 'admin',
    answer: { status: 204, description: 'It is disconnected, and its key is forgotten' },
    async handle({ parts, token, owner, params }) {
      const caller = { owner, actor: actorOf(token) };
      if (await connectionsOf(parts).disconnect(params['model'] ?? '', caller)) return { status: 204 };
      throw new RequestRefusedError('No such model is connected to this process. List the models again.', {
        code: 'not-found',
      });
    },
  }),
  defineRoute<{ readonly response_format?: unknown }>({
    method: 'post',
    path: '/api/response_formats/validate',
    operationId: 'validateFormat',
    summary:
      'Report all problems of a response format, and the rules that each provider cannot enforce; runs nothing',
    body: toZod(dryRunBody),
    judgesFormat: false,
    answer: { status: 200, description: 'What was found', schema: toZod(dryRunView) },
    async handle({ body }) {
      return { status: 200, body: await dryRunFormat(memberText(body.text, ['response_format'])) };
    },
  }),
];

function connectionsOf({ connections }: ServerParts): ModelConnections {
  if (connections !== undefined) return connections;
  throw new RequestRefusedError(
    'This server connects no models while it runs. It does on a loopback address such as `--host 127.0.0.1`, or with `connectedModels: { isEnabled: true }` in its configuration.',
    { code: 'not-found' },
  );
}

function toConnectionView(models: ServerModels, result: ConnectionResult): ConnectionView {
  if (result.type === 'connected') return { type: 'connected', model: toModelView(models, result.id) };
  const { statusCode, ...refused } = result;
  return { ...refused, ...(statusCode !== undefined && { status_code: statusCode }) };
}

function toPricesView(prices: Prices): NonNullable<ModelView['prices']> {
  return view({
    input_usd_per_million: prices.inputUsdPerMillion,
    output_usd_per_million: prices.outputUsdPerMillion,
    cache_read_usd_per_million: prices.cacheReadUsdPerMillion,
    cache_write_usd_per_million: prices.cacheCreationUsdPerMillion,
  });
}

function toModelView(models: ServerModels, id: string): ModelView {
  const { provider, isScripted, mode, dialect, contextTokens, prices, isConnected } = models.facts(id);
  return {
    id,
    is_default: id === models.default,
    provider,
    is_scripted: isScripted,
    ...(mode !== undefined && { mode }),
    dialect: DIALECT_NAMES[dialect],
    ...(contextTokens !== undefined && { context_tokens: contextTokens }),
    ...(prices !== undefined && { prices: toPricesView(prices) }),
    ...(isConnected !== undefined && { is_connected: isConnected }),
  };
}
