/** YAML parser of `@truecast/server`. Import this file when it is needed: the package can be missing. */
import { yamlValueOf } from '@truecast/server/internal/models/file/read-models-file';

/** Returns the value of a YAML text. */
export function serverYaml(text: string): unknown {
  return yamlValueOf(text);
}
