/** Select of a filter, with the filter in the address. */
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';

export type Choice = readonly [value: string, text: string];

interface SelectProps {
  readonly label: string;
  /** Parameter of the address. */
  readonly name: string;
  readonly choices: readonly Choice[];
  /** The choice that the address leaves out. @default the first one */
  readonly usual?: string;
}

/** Reads and changes the filters in the page's address. */
export interface AddressFilters {
  /** Returns a filter. Empty if it is not set. */
  readonly get: (name: string) => string;
  readonly set: (name: string, value: string) => void;
  /** Sets several at once. An empty value removes its filter. */
  readonly change: (values: Readonly<Record<string, string>>) => void;
  readonly clear: () => void;
}

export function useAddressFilters(): AddressFilters {
  const [parameters, setParameters] = useSearchParams();
  const change: AddressFilters['change'] = (values) => {
    const next = new URLSearchParams(parameters);
    for (const [name, value] of Object.entries(values)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    setParameters(next, { replace: true });
  };
  return {
    get: (name) => parameters.get(name) ?? '',
    set: (name, value) => change({ [name]: value }),
    change,
    clear: () => setParameters({}, { replace: true }),
  };
}

/** Renders the select. A value in the address that is not one of the choices is shown too. */
export function SelectField({ label, name, choices, usual = choices[0]?.[0] ?? '' }: SelectProps): ReactNode {
  const { get, set } = useAddressFilters();
  const value = get(name) || usual;
  const isKnown = choices.some(([choice]) => choice === value);
  return (
    <select
      className="field chip"
      data-set={value !== usual}
      aria-label={label}
      value={value}
      onChange={({ target }) => set(name, target.value === usual ? '' : target.value)}
    >
      {[...choices, ...(isKnown ? [] : [[value, value] as const])].map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </select>
  );
}
