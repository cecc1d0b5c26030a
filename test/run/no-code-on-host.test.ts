/** Code on the host: no attack of a guest in bubblewrap starts a program by way of the user's git. */
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { declareNoCodeOnHost } from './declare-no-code-on-host.ts';

describeInBubblewrap('a guest in bubblewrap and the git of its user', () =>
  declareNoCodeOnHost(bubblewrap({ egress: 'none' })),
);
