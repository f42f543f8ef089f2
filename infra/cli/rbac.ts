import type { Command } from "commander";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { groupOf } from "../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { claimsOf } from "../../shared/contract/version.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { yamlOf } from "../deploy/deployment.ts";
import { providerRoles } from "../deploy/manifests/accounts.ts";
import { serverProcesses } from "../deploy/manifests/deployments.ts";
import { isStandardGroup } from "../deploy/rights.ts";
import { printError, printSource } from "../platform/terminal/print.ts";
import { openServer } from "./management.ts";
import { kubeconfigOption } from "./options.ts";

interface RbacOptions {
  readonly kubeconfig?: string;
}

export function rbacCommand(command: Command): Command {
  return command
    .requiredOption("--from-cluster", "for the providers that this management cluster has")
    .addOption(kubeconfigOption())
    .addHelpText("after", "\nExample:\n  capstan rbac --from-cluster | kubectl apply -f -")
    .action(async ({ kubeconfig }: RbacOptions) => {
      using server = await openServer(kubeconfig);
      const kinds = await foreignKinds(server.as("rbac"));
      if (kinds.length === 0)
        printError("nothing to grant: every provider is in one of the three API groups of Cluster API");
      // Without kinds the roles are printed with no rule: they can be applied, and what an earlier provider had is taken back.
      printSource(yamlOf(providerRoles(kinds, await serverProcesses())));
    });
}

interface Named {
  readonly group: string;
  readonly kind: string;
}

/**
 * Returns the kinds of providers outside of Cluster API's own groups: those that claim a contract, and those of templates
 * that a health check names, with their requests.
 */
async function foreignKinds(client: KubeClient): Promise<readonly { group: string; plural: string }[]> {
  const [{ items: crds }, { items: checks }] = await Promise.all([
    client.list(CustomResourceDefinition, {}),
    client.list(MachineHealthCheck, {}),
  ]);
  const named = checks.flatMap(({ spec }) => requestsOf(spec.remediation?.templateRef));
  return crds
    .filter((crd) => claimsOf(crd).length > 0 || named.some((each) => isDefinedBy(each, crd)))
    .map(({ spec }) => ({ group: spec.group, plural: spec.names.plural }))
    .filter(({ group }) => group !== MachineHealthCheck.group && !isStandardGroup(group))
    .toSorted((a, b) => (`${a.group}/${a.plural}` < `${b.group}/${b.plural}` ? -1 : 1));
}

/** Kinds of the template and of the requests that are made from it. */
function requestsOf(
  template: { readonly apiVersion: string; readonly kind: string } | undefined,
): readonly Named[] {
  if (template === undefined) return [];
  const { kind, apiVersion } = template;
  const group = groupOf(apiVersion);
  return [kind, kind.replace(/Template$/, "")].map((each) => ({ group, kind: each }));
}

function isDefinedBy({ group, kind }: Named, { spec }: CustomResourceDefinition): boolean {
  return spec.group === group && spec.names.kind === kind;
}
