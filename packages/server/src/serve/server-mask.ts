/**
 * Secret mask of a server process: keys of its environment and of the file of models, and values
 * that it passes to MCP servers.
 */
import type { ServerConfig } from '../config/server-config.ts';
import type { ModelEntries } from '../models/file/read-models-file.ts';
import type { ModelEnvironment } from '../models/resolve-model.ts';
import { createSecretMask, type SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { declaredValues, secretValues } from '@truecast/host/internal/masking/secret-values';

/** Creates the mask for log lines and error messages. Answers and tool results are never masked. */
export function createServerMask(
  environment: ModelEnvironment,
  { mcpServers = [] }: ServerConfig,
  entries: ModelEntries = new Map(),
): SecretMask {
  const declared = mcpServers
    .flatMap((server) =>
      'url' in server
        ? [server.headers, ...Object.values(server.owners ?? {}).map(({ headers }) => headers)]
        : [server.env, ...Object.values(server.owners ?? {}).map(({ env }) => env)],
    )
    .flatMap((values) => declaredValues({ ...values }));
  const keys = [...entries].flatMap(([name, { api_key: key }]) =>
    key === undefined ? [] : declaredValues({ [name]: key }),
  );
  return createSecretMask([...secretValues({ ...environment }), ...declared, ...keys]);
}
