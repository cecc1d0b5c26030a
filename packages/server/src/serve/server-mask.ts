/**
 * Secret mask of a server process: keys of its environment and of the file of models, and values
 * that it passes to MCP servers.
 */
import type { ServerConfig } from '../config/server-config.ts';
import { modelSecrets } from '@truecast/model/internal/call/model-mask';
import type { ModelEntries } from '../models/file/read-models-file.ts';
import type { GivenModels } from '../models/given-models.ts';
import type { ModelEnvironment } from '../models/resolve-model.ts';
import { RunMask } from '@truecast/host/internal/masking/secret-mask';
import { declaredValues } from '@truecast/host/internal/masking/secret-values';

/** Models whose keys are not in the environment. */
interface MaskedModels {
  readonly entries?: ModelEntries | undefined;
  readonly given?: GivenModels | undefined;
}

/** Creates the mask for log lines and error messages, which learns keys of connected models. Answers and tool results are never masked. */
export function createServerMask(
  environment: ModelEnvironment,
  { mcpServers = [], repositories = {} }: ServerConfig,
  { entries = new Map(), given = new Map() }: MaskedModels = {},
): RunMask {
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
  const ofRepositories = Object.values(repositories).flatMap((repository) => {
    const name = 'url' in repository ? repository.credential?.env : undefined;
    return name === undefined ? [] : declaredValues({ [name]: environment[name] });
  });
  const ofObjects = [...given.values()].flatMap(modelSecrets);
  const mask = new RunMask();
  mask.learn({ host: environment });
  mask.learnValues([...declared, ...keys, ...ofRepositories, ...ofObjects]);
  return mask;
}
