/** The mask of a server process: values of its configuration. */
import { expect, it } from 'vitest';
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
