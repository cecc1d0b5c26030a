/** Checked merges of runs in a container. `test/run/merge-checks.test.ts` tries the same in bubblewrap. */
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { declareCheckedMerges } from '../declare-checked-merges.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import { TEST_IMAGE } from './shared-image.ts';

describeWithEngine('podman', 'checked merges in podman', () => {
  declareCheckedMerges(() => podman({ imageName: TEST_IMAGE, egress: 'none' }));
});
