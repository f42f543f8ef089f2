import { dump } from "js-yaml";

/** The YAML of a JSON value, as Kubernetes tools write it: no line is folded, no alias, members that are undefined left out. */
export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, quoteStyle: "double", skipInvalid: true });
}
