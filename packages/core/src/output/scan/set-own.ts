/** Sets an own property of any name. Pure. */

/** Assigning to `__proto__` would change the prototype instead of creating a key. */
export function setOwn<TValue>(target: { [key: string]: TValue }, key: string, value: TValue): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
