import { expect, it } from 'vitest';
import { bubblewrap } from '../../sandboxes/bubblewrap.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { assertCountableRequests } from './assert-run-options.ts';

it.each([noSandbox(), bubblewrap({ egress: 'none' }), bubblewrap({ egress: 'host' })])(
  'a limit on requests is refused if no proxy forwards them: %#',
  (sandbox) => {
    expect(() => assertCountableRequests({ requests: 5 }, sandbox)).toThrow(
      /^Expected a sandbox with `egress: 'model'` for `budget\.requests`, got `[\w-]+` without it/u,
    );
    expect(() => assertCountableRequests({ tokens: 5 }, sandbox)).not.toThrow();
  },
);

it.each([bubblewrap(), bubblewrap({ egress: 'model' })])(
  'a limit on requests is accepted if a proxy can forward them: %#',
  (sandbox) => {
    expect(() => assertCountableRequests({ requests: 5 }, sandbox)).not.toThrow();
  },
);
