/** Setting that enables single letters as shortcuts. */

const KEY = 'truecast-single-keys';

/** Returns the stored choice. @default true */
export function readSingleKeys(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

/** Stores a choice. */
export function keepSingleKeys(isOn: boolean): void {
  localStorage.setItem(KEY, isOn ? 'on' : 'off');
}
