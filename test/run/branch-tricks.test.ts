import { describe } from 'vitest';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { declareBranchTricks } from '../declare-branch-tricks.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';

describe('without a sandbox', () => declareBranchTricks(noSandbox));

describeInBubblewrap('in bubblewrap', () => declareBranchTricks(() => bubblewrap({ egress: 'none' })));
