import { dump } from "js-yaml";

/**
 * Returns the YAML of a JSON value as Kubernetes tools write it: no folded lines, no aliases, without
 * undefined members.
 */
export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, quoteStyle: "double", skipInvalid: true });
}
