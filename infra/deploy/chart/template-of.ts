import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { NAMESPACE } from "../manifests/processes.ts";
import type { Conditional } from "./conditional.ts";
import { toTemplate, value } from "./marks.ts";

/** Returns the template of one object, in the namespace of the release. */
export function templateOf({ object, when }: Omit<Conditional, "file">): string {
  const yaml = writeYaml(object).replaceAll(NAMESPACE, value("$.Release.Namespace"));
  const document = `---\n${toTemplate(yaml)}`;
  if (when.length === 0) return document;
  const [first = "", ...others] = when;
  const condition = others.length === 0 ? first : `and ${when.map((each) => `(${each})`).join(" ")}`;
  return `{{- if ${condition} }}\n${document}{{- end }}\n`;
}
