import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { alignedTable } from "../../platform/markdown-table.ts";
import type { Manifest } from "../deployment.ts";
import type { PolicyRule } from "../rights.ts";
import type { Folder } from "./kustomization.ts";

/** The verbs of one account on one resource. */
interface Cell {
  /** `clusters.cluster.x-k8s.io/status`, `namespaces kube-system`, `leases.coordination.k8s.io in capstan-system`. */
  readonly resource: string;
  readonly account: string;
  readonly verbs: readonly string[];
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
