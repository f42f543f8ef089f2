import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { alignedTable } from "../../platform/terminal/table.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { type Manifest, yamlOf } from "../deployment.ts";
import type { PolicyRule } from "../rights.ts";
import { base } from "./base.ts";
import { components, namespaceFolder } from "./components.ts";
import { type Folder, kustomizationOf } from "./kustomization.ts";

const RIGHTS_TITLE = `# Rights of the accounts of the base

They follow from the declarations of the functions. On a real API server a test sees rights on objects and Secrets used (\`system/rights-used\`). Five sorts of rights it does not compare: \`get\` and \`list\`, except on Secrets; \`update\` on \`/finalizers\`, which only OwnerReferencesPermissionEnforcement asks for; rights on one object by its name; those on Leases and on reviews of tokens and of rights; and two that other tests use: \`patch\` on Secrets and \`create\` on Events for \`capstan-worker-credentials\`. Rights on kinds of providers in other API groups are granted apart, as the README of the manifests says.

`;

/** The verbs of one account on one resource. */
interface Cell {
  /** `clusters.cluster.x-k8s.io/status`, `namespaces kube-system`, `leases.coordination.k8s.io in capstan-system`. */
  readonly resource: string;
  readonly account: string;
  readonly verbs: readonly string[];
}

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

/** Returns what each account in the files of a folder may do, as a table of Markdown: resources by accounts. */
export function rightsTable(files: Folder["files"]): string {
  const accounts = Object.entries(files).filter(([, objects]) =>
    objects.some(({ kind }) => kind === "ServiceAccount"),
  );
  const cells = accounts.flatMap(([name, objects]) => objects.flatMap((manifest) => cellsOf(manifest, name)));
  const byResource = Map.groupBy(cells, ({ resource }) => resource);
  const names = accounts.map(([name]) => name);
  const rows = [...byResource]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([resource, same]) => [
      `\`${resource}\``,
      ...names.map((name) =>
        same.flatMap(({ account, verbs }) => (account === name ? verbs : [])).join(", "),
      ),
    ]);
  return alignedTable(["Resource", ...names.map((name) => `\`${name}\``)], rows);
}

function cellsOf({ metadata, ["rules"]: rules = [] }: Manifest, account: string): readonly Cell[] {
  const place = metadata.namespace === undefined ? "" : ` in ${metadata.namespace}`;
  return (rules as readonly PolicyRule[]).flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
    resources.flatMap((resource) =>
      resourceNames.map((name) => {
        const [plural = "", ...subresource] = resource.split("/");
        const parts = [[plural, ...apiGroups].filter((part) => part !== "").join("."), ...subresource];
        return { account, verbs, resource: `${parts.join("/")}${name === "" ? "" : ` ${name}`}${place}` };
      }),
    ),
  );
}
