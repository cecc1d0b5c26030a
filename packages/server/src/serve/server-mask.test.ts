/** The mask of a server process: values of its configuration. */
import { expect, it } from 'vitest';
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { createServerMask } from './server-mask.ts';

it('masks what MCP servers are given, for all owners and for one', () => {
  const secrets = ['common-value-1', 'of-anna-value-2', 'common-value-3', 'of-bert-value-4'];
  const [commonEnv = '', env = '', commonHeader = '', header = ''] = secrets;
  const { mask } = createServerMask(
    {},
    {
      mcpServers: [
        { name: 'a', command: 'a', env: { KEY: commonEnv }, owners: { anna: { env: { KEY: env } } } },
        {
          name: 'b',
          url: 'https://b.example',
          headers: { authorization: commonHeader },
          owners: { bert: { headers: { authorization: header } } },
        },
      ],
    },
  );
  const masked = mask(`Refused: ${secrets.join(', ')}.`);
  for (const secret of secrets) expect(masked).not.toContain(secret);
});

it('masks the credential of a repository, whatever the name of its variable is', () => {
  const api = { url: 'https://git.example/a.git', credential: { env: 'API_GIT' } };
  const { mask } = createServerMask({ API_GIT: 'of-git-value-5' }, { repositories: { api } });
  expect(mask('Refused: of-git-value-5.')).not.toContain('of-git-value-5');
});

it('masks the key and the headers of a model object', () => {
  const model = openAICompatible({
    baseURL: 'http://127.0.0.1:2/v1',
    model: 'm',
    apiKey: 'object-key-1',
    headers: { 'x-api-key': 'object-header-2' },
  });
  const { mask } = createServerMask({}, {}, { given: new Map([['local:m', model]]) });
  expect(mask('Refused: object-key-1, object-header-2.')).not.toMatch(/object-key|object-header/u);
});
