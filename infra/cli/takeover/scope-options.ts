import { hostname } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ObjectKey } from "../../../shared/api/kinds.ts";
import type { Scope } from "../../operate/takeover/survey.ts";
import { type Turn, takeTurn } from "../../operate/takeover/turn.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { callerName } from "../caller-name.ts";
import { kubeconfigOption, outputOption } from "../options.ts";

/** Options of `plan`, `start`, `back` and `retire`. */
export interface ScopeFlags {
  readonly kubeconfig?: string;
  readonly parkLease?: true;
  readonly core: ObjectKey;
  readonly watchFilter: string;
  readonly output: string;
}

const CORE = "capi-system/capi-controller-manager";

export function addScopeOptions(command: Command): Command {
  return addRetireOptions(command)
    .argument("[clusters...]", "NAMESPACE/NAME of each Cluster (default: all)", parseClusters)
    .option("--park-lease", "all Clusters at once, while no manager of Cluster API leads");
}

/** Options of every command; a retirement is of all Clusters. */
export function addRetireOptions(command: Command): Command {
  return command
    .addOption(kubeconfigOption())
    .addOption(
      new Option("--core <namespace/name>", "Deployment of Cluster API's manager")
        .argParser(parseKey)
        .default(parseKey(CORE), CORE),
    )
    .option(
      "--watch-filter <value>",
      "the --watch-filter of Capstan's relay or manager: label cluster.x-k8s.io/watch-filter of its objects",
      parseLabel,
      "capstan",
    )
    .addOption(outputOption("text", "json"));
}

export function scopeOf(clusters: readonly string[], flags: ScopeFlags): Scope {
  const { core, watchFilter, parkLease = false } = flags;
  return { clusters, core, filter: watchFilter, parkLease };
}

function parseClusters(text: string, before: readonly string[] = []): readonly string[] {
  const { namespace, name } = parseKey(text);
  return [...before, `${namespace}/${name}`];
}

const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

function parseKey(text: string): ObjectKey {
  const [namespace = "", name = "", ...more] = text.split("/");
  if (more.length === 0 && NAME.test(namespace) && NAME.test(name)) return { namespace, name };
  throw new InvalidArgumentError(`"${text.slice(0, 120)}" is not NAMESPACE/NAME`);
}

const LABEL_VALUE = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

function parseLabel(text: string): string {
  if (LABEL_VALUE.test(text)) return text;
  throw new InvalidArgumentError(`"${text.slice(0, 120)}" is not the value of a label`);
}

/** The turn of the person who calls this command. */
export function openTurn(client: ServerClient, namespace: string): Promise<Turn> {
  const identity = `${callerName()}@${hostname()}:${process.pid}`;
  return takeTurn(client, { namespace, identity, clock: systemClock });
}
