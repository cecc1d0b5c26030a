/** YAML parser of `@truecast/ensemble`. Import this file when it is needed: the package can be missing. */
import { yamlValue } from '@truecast/ensemble/internal/manifest/load-ensemble';

/** Returns the value of a YAML text, or undefined for wrong syntax. */
export async function ensembleYaml(text: string): Promise<unknown> {
  return yamlValue(text);
}
