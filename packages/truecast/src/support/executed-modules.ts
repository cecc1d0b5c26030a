/**
 * Modules that this process imported by a path of the user: schemas and configurations. Who changes
 * one of them runs code at the next start.
 */
import { resolve } from 'node:path';

const executed = new Set<string>();

/** Notes a module before it is imported. */
export function noteExecutedModule(path: string): void {
  executed.add(resolve(path));
}

export function executedModules(): readonly string[] {
  return [...executed];
}
