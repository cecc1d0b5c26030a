/** Differences between two forms of stored JSON: whether every old value still fits. Pure. */
import { isRecord } from '../../../packages/core/src/kit/is-record.ts';

/** One difference. `wider`: every old value still fits. */
export interface FormChange {
  readonly at: string;
  readonly kind: 'wider' | 'breaking';
  readonly what: string;
}

/** Lists what changed from an older form to a newer one, both as JSON. */
export function changesOf(was: unknown, is: unknown, at = ''): FormChange[] {
  if (Array.isArray(was) && Array.isArray(is)) {
    return [...missing(was, is, at, 'breaking'), ...missing(is, was, at, 'wider')];
  }
  if (!isRecord(was) || !isRecord(is)) {
    return was === is ? [] : [{ at, kind: 'breaking', what: `${show(was)} is ${show(is)}` }];
  }
  const [required, optional] = [is, was];
  if (isRecord(required['optional']) && !isRecord(optional['optional'])) {
    return [{ at, kind: 'wider', what: 'is optional now' }, ...changesOf(was, required['optional'], at)];
  }
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) => {
    const path = `${at}/${name}`;
    if (name in was && name in is) return changesOf(was[name], is[name], path);
    return name in is ? [added(at, path, is[name])] : [removed(at, path)];
  });
}

/** A new member is wider if it can be absent, a new case always, a new limit never. */
function added(at: string, path: string, form: unknown): FormChange {
  const isWider = at.endsWith('/cases') || (isRecord(form) && 'optional' in form);
  return { at: path, kind: isWider ? 'wider' : 'breaking', what: 'added' };
}

/** A limit that is gone is wider. A member or a case that is gone is not. */
function removed(at: string, path: string): FormChange {
  const isWider = !/\/(?:members|cases)$/u.test(at) && !path.endsWith('/optional');
  return { at: path, kind: isWider ? 'wider' : 'breaking', what: 'removed' };
}

function missing(
  from: readonly unknown[],
  other: readonly unknown[],
  at: string,
  kind: FormChange['kind'],
): FormChange[] {
  const texts = new Set(other.map((each) => JSON.stringify(each)));
  return from
    .filter((each) => !texts.has(JSON.stringify(each)))
    .map((each) => ({ at, kind, what: `${show(each)} ${kind === 'wider' ? 'added' : 'removed'}` }));
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
