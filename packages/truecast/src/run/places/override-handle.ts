/**
 * Sandbox handle with some members replaced. Keeps every other member, including those of a class
 * with private fields.
 */
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';

/** Returns a handle with the members of `overrides`, and all others from `handle`. */
export function overrideHandle<TOverrides extends Partial<SandboxHandle>>(
  handle: SandboxHandle,
  overrides: TOverrides,
): SandboxHandle & TOverrides {
  const proxy: unknown = new Proxy(handle, {
    get(target, key) {
      const override: unknown = Reflect.get(overrides, key);
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(target, key, target);
      // `Reflect.get` has no type for this function.
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  // The proxy provides every member of both.
  return proxy as SandboxHandle & TOverrides;
}
