import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { yamlOf } from "../components.ts";
import { base } from "./base.ts";
import { components, namespaceFolder } from "./components.ts";
import { type Folder, kustomizationOf } from "./kustomization.ts";
import { rightsTable } from "./rights-table.ts";

const RIGHTS_TITLE = `# Rights of the accounts of the base

They follow from the declarations of the functions. On a real API server a test sees rights on objects and Secrets used (\`system/rights-used\`). Five sorts of rights it does not compare: \`get\` and \`list\`, except on Secrets; \`update\` on \`/finalizers\`, which only OwnerReferencesPermissionEnforcement asks for; rights on one object by its name; those on Leases and on reviews of tokens and of rights; and two that other tests use: \`patch\` on Secrets and \`create\` on Events for \`capstan-worker-credentials\`. Rights on kinds of providers in other API groups are granted apart, as the README of the manifests says.

`;

/** Returns path → content of every manifest, and of the page of rights. */
export async function manifestFiles(): Promise<ReadonlyMap<string, string>> {
  const named = Object.entries(await components());
  const whole = await base();
  const folders: readonly (readonly [string, Folder])[] = [
    ["base", whole],
    ["namespace", await namespaceFolder()],
    ...named.map(([name, folder]) => [`components/${name}`, folder] as const),
  ];
  return new Map([
    ["RIGHTS.md", `${RIGHTS_TITLE}${rightsTable(whole.files)}\n`] as const,
    ...folders.flatMap(([path, folder]) => [
      [`${path}/kustomization.yaml`, writeYaml(kustomizationOf(folder))] as const,
      ...Object.entries(folder.files).map(
        ([name, objects]) => [`${path}/${name}.yaml`, yamlOf(objects)] as const,
      ),
    ]),
  ]);
}
