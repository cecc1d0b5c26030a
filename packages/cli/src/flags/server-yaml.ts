/** YAML parser of `@truecast/server`. Import this file when it is needed: the package can be missing. */
import { yamlValueOf } from '@truecast/server/internal/models/file/read-models-file';

export function serverYaml(text: string): unknown {
  return yamlValueOf(text);
}
