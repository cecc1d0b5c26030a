/**
 * Filters in a container: each file is cleaned exactly once. `test/run/filters.test.ts` tries the same in
 * bubblewrap.
 */
import { podman } from '../../packages/truecast/src/sandboxes/podman.ts';
import { declareFilters } from '../run/declare-filters.ts';
import { FILTER_KINDS } from '../run/filter-kinds.ts';
import { describeWithEngine } from './describe-with-engine.ts';
import { TEST_IMAGE } from './shared-image.ts';

/** The image has no Perl, so the long-running process is left to bubblewrap. */
const KINDS = FILTER_KINDS.filter(({ title }) => title.startsWith('a program with a path'));

describeWithEngine('podman', 'filters of a run in podman', () =>
  declareFilters(KINDS, (programs) =>
    podman({
      imageName: TEST_IMAGE,
      egress: 'none',
      mounts: [{ hostPath: programs, sandboxPath: programs, readonly: true }],
    }),
  ),
);
