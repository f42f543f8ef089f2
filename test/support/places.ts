import { expect } from "vitest";
import { judgeMove } from "../../infra/cli/move/plan.ts";
import { readMovePlan } from "../../infra/providers/clusterctl/move/read-plan.ts";
import type { MoveSubject } from "../../shared/contract/rules/move/subject.ts";
import { startCapstan } from "./capstan.ts";
import { type Clusterctl, startClusterctl } from "./clusterctl.ts";
import { startSide, type TestSide } from "./management-side.ts";
import type { ServerFlavour } from "./processes/api-servers.ts";
import { type Kubectl, kubectlFor } from "./processes/kubectl.ts";
import { followVersions, type Versions } from "./versions.ts";

/** A management cluster between which a namespace is moved, with a manager of Capstan that can stand still. */
export interface Place extends AsyncDisposable {
  readonly side: TestSide;
  /** In the namespace. */
  readonly kubectl: Kubectl;
  readonly clusterctl: Clusterctl;
  readonly versions: Versions;
  startManager(): Promise<void>;
  stopManager(): Promise<void>;
}

export async function openPlace(flavour: ServerFlavour, namespace: string): Promise<Place> {
  await using opening = new AsyncDisposableStack();
  const side = opening.use(await startSide(flavour));
  const { kubeconfigFile } = side.started;
  const clusterctl = opening.use(await startClusterctl({ kubeconfigFile, config: "" }));
  const versions = opening.use(await followVersions(side.server, namespace));
  let manager: AsyncDisposable | undefined;
  const stopManager = async (): Promise<void> => {
    await manager?.[Symbol.asyncDispose]();
    manager = undefined;
  };
  opening.defer(stopManager);
  const open = opening.move();
  return {
    side,
    kubectl: kubectlFor(kubeconfigFile, namespace),
    clusterctl,
    versions,
    async startManager() {
      manager = await startCapstan(kubeconfigFile, { roles: ["relay", "worker"], installCrds: false });
    },
    stopManager,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Moves a namespace with clusterctl, and asks `capstan move plan` about it. */
export interface Mover {
  plan(from: Place, to: Place): Promise<MoveSubject>;
  /** `rule object: found` of each `fail` of the plan. */
  failing(from: Place, to: Place): Promise<readonly string[]>;
  /** The log of a move that goes to its end. */
  move(from: Place, to: Place): Promise<string>;
  /** Writes everything to a folder, which the source survives. */
  save(from: Place, folder: string): Promise<string>;
  restore(to: Place, folder: string): Promise<string>;
  /** The same, killed once it has logged so many objects. */
  killed(way: Way, point: Point): Promise<void>;
}

type Way =
  | { readonly from: Place; readonly to: Place }
  | { readonly from: Place; readonly folder: string }
  | { readonly folder: string; readonly to: Place };

/** A move is killed when it has logged this verb more often than that. */
interface Point {
  readonly verb: "Creating" | "Deleting" | "Saving" | "Restoring";
  readonly end: number;
}

export function moverOf(namespace: string): Mover {
  const commandOf = (way: Way): readonly [place: Place, args: readonly string[]] => {
    const first = ["move", "-v", "1", "-n", namespace];
    const to = "to" in way ? ["--to-kubeconfig", way.to.side.started.kubeconfigFile] : [];
    if ("from" in way && "to" in way) return [way.from, [...first, ...to]];
    if ("from" in way) return [way.from, [...first, "--to-directory", way.folder]];
    return [way.to, [...first, "--from-directory", way.folder, ...to]];
  };
  const run = async (way: Way, last: string): Promise<string> => {
    const [{ clusterctl }, args] = commandOf(way);
    const { ok, output } = await clusterctl.try(args.join(" "));
    expect([ok, output]).toEqual([true, expect.stringContaining(last)]);
    return output;
  };
  const plan: Mover["plan"] = (from, to) =>
    readMovePlan({ source: from.side.server, target: to.side.server }, { namespace });
  return {
    plan,
    failing: async (from, to) =>
      judgeMove(await plan(from, to)).flatMap(({ verdict, rule, object, found }) =>
        verdict === "fail" ? [`${rule} ${object}: ${found}`] : [],
      ),
    move: (from, to) => run({ from, to }, "Resuming the target cluster"),
    save: (from, folder) => run({ from, folder }, "Resuming the source cluster"),
    restore: (to, folder) => run({ folder, to }, "Resuming the target cluster"),
    async killed(way, { verb, end }) {
      const [{ clusterctl }, args] = commandOf(way);
      const seen = new RegExp(`^${verb} \\w+="`, "gm");
      const output = await clusterctl.killed(args, (text) => (text.match(seen) ?? []).length > end);
      expect(output).toMatch(seen);
      expect(output).not.toMatch(/Resuming the (target|source) cluster/);
    },
  };
}
