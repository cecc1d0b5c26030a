/** Planned order: runs the suites as the plan lists them, quick ones first. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readPlan } from './plan.ts';

export class PlannedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { tests } = readPlan();
    return files.toSorted((one, other) => tests.indexOf(one.moduleId) - tests.indexOf(other.moduleId));
  }
}
